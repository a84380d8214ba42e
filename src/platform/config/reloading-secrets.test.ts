import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary.ts'
import { untilTestEnds } from '../../../test/support/until-test-ends.ts'
import { createRedactor, redacted } from '../../domain/redact/index.ts'
import { KeptLog, ManualClock } from '../lifecycle/fakes.ts'
import { type ConfigInputs, type ReloadingSecrets, reloadingSecrets } from './index.ts'

let folder: string
let clock: ManualClock
let log: KeptLog
let reads: string[]
const at = (name: string) => path.join(folder, name)
const write = (name: string, content: string) => writeFileSync(at(name), content)

beforeEach(async () => {
  folder = untilTestEnds(await temporaryFolder()).path
  clock = new ManualClock()
  log = new KeptLog()
  reads = []
})

/** A real forge with what is given, its files read from the disk. */
function open(env: Record<string, string>): ReloadingSecrets {
  const inputs: ConfigInputs = {
    env: {
      HOLDFAST_DATA_DIR: folder,
      HOLDFAST_FORGE_KIND: 'github',
      HOLDFAST_FORGE_WEBHOOK_SECRETS: 'the-hook-of-tests',
      ...env,
    },
    flags: {},
    isRoot: false,
    readFile(file) {
      reads.push(path.basename(file))
      try {
        return readFileSync(file, 'utf8')
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
  }
  return reloadingSecrets({ inputs, clock, log, redactor })
}

function becomeFolder(): void {
  rmSync(at('token'))
  mkdirSync(at('token'))
}

const redactor = createRedactor({})
const ofToken = () => open({ HOLDFAST_FORGE_TOKEN: `file:${at('token')}` })

describe('secrets that stand in files', () => {
  it('are hidden as soon as they are used', async () => {
    write('token', 'first-token\n')
    const secrets = ofToken()
    write('token', 'second-token\n')
    expect(redactor.text('second-token')).toBe('second-token')
    await clock.advance(1_000)
    secrets.current()
    expect(redactor.text('second-token')).toBe(redacted)
  })

  it('are read again when the file was written again, not before a second has passed', async () => {
    write('token', 'first\n')
    const secrets = ofToken()
    write('token', 'second\n')
    await clock.advance(999)
    expect(secrets.current().token).toBe('first')
    await clock.advance(1)
    expect(secrets.current().token).toBe('second')
    expect(log.at('info')).toEqual(['credentials changed and are in use'])
  })

  it('are not read again while nothing changed', async () => {
    write('token', 'first')
    const secrets = ofToken()
    reads = []
    await clock.advance(60_000)
    expect(secrets.current().token).toBe('first')
    expect(reads).toEqual([])
  })

  it('are noticed where the file keeps its size', async () => {
    write('token', 'aaaa')
    const secrets = ofToken()
    write('token', 'bbbb')
    await clock.advance(1_000)
    expect(secrets.current().token).toBe('bbbb')
  })

  it('are noticed where a link was turned, as Kubernetes replaces them', async () => {
    for (const version of ['v1', 'v2']) {
      mkdirSync(at(version))
      write(`${version}/token`, version)
    }
    symlinkSync('v1', at('..data'))
    symlinkSync('..data/token', at('token'))
    const secrets = ofToken()
    expect(secrets.current().token).toBe('v1')
    symlinkSync('v2', at('..new'))
    renameSync(at('..new'), at('..data'))
    await clock.advance(1_000)
    expect(secrets.current().token).toBe('v2')
  })

  it('are all of them: App, its key, webhook secrets, in files or in the configuration file', async () => {
    write('key', 'key 1')
    write('hook', 'the first hook 1')
    const yaml = (id: number, hooks: string) =>
      `forge: { app: { id: "${id}", privateKey: "file:${at('key')}" }, webhookSecrets: [${hooks}] }`
    write('holdfast.yaml', yaml(1, `"file:${at('hook')}"`))
    const secrets = open({ HOLDFAST_FORGE_WEBHOOK_SECRETS: '' })
    expect(secrets.current()).toMatchObject({
      token: undefined,
      app: { id: '1', privateKey: 'key 1' },
      webhookSecrets: ['the first hook 1'],
    })
    write('key', 'key 2')
    write('holdfast.yaml', yaml(2, `"file:${at('hook')}", the-second-hook-2`))
    await clock.advance(1_000)
    expect(secrets.current()).toMatchObject({
      token: undefined,
      app: { id: '2', privateKey: 'key 2' },
      webhookSecrets: ['the first hook 1', 'the-second-hook-2'],
    })
  })
})

describe('the settings of a GitHub App', () => {
  const app = (settings: string) => write('holdfast.yaml', `forge: { app: { privateKey: key, ${settings} } }`)

  it.each([
    ['a new id is logged and in use at once', 'id: "2"', ['credentials changed and are in use']],
    ['another installation is not logged as in use: it needs a restart', 'id: "1", installationId: 7', []],
  ])('%s', async (_, changed, lines) => {
    app('id: "1"')
    const secrets = open({})
    app(changed)
    await clock.advance(1_000)
    secrets.current()
    expect(log.at('info')).toEqual(lines)
  })
})

describe('the key of a store of records', () => {
  it('is read again too, with its id and session', async () => {
    write('key', 'key 1')
    write('session', 'session 1')
    const secrets = open({
      HOLDFAST_FORGE_TOKEN: 'a-token',
      HOLDFAST_RECORDS_SINK: 's3',
      HOLDFAST_RECORDS_S3_BUCKET: 'evidence',
      HOLDFAST_RECORDS_S3_ACCESS_KEY_ID: 'an-id',
      HOLDFAST_RECORDS_S3_SECRET_ACCESS_KEY: `file:${at('key')}`,
      HOLDFAST_RECORDS_S3_SESSION_TOKEN: `file:${at('session')}`,
    })
    const ofStore = (n: number) => ({
      accessKeyId: 'an-id',
      secretAccessKey: `key ${n}`,
      sessionToken: `session ${n}`,
    })
    expect(secrets.current().s3).toEqual(ofStore(1))
    write('key', 'key 2')
    write('session', 'session 2')
    await clock.advance(1_000)
    expect(secrets.current().s3).toEqual(ofStore(2))
  })
})

describe('a file that cannot be used', () => {
  it.each([
    ['is gone', () => rmSync(at('token'))],
    ['is empty', () => write('token', '\n')],
    ['is a folder now', becomeFolder],
  ])('and %s keeps the last good value, is said once, and said again when it is good', async (_, damage) => {
    write('token', 'hush-hush')
    const secrets = ofToken()
    damage()
    for (let look = 0; look < 3; look += 1) {
      await clock.advance(1_000)
      expect(secrets.current().token).toBe('hush-hush')
    }
    expect(log.at('warn')).toEqual(['credentials could not be read again; the last good ones stay in use'])
    expect(JSON.stringify(log.lines)).toContain('forge.token')
    expect(JSON.stringify(log.lines)).not.toContain('hush')
    rmSync(at('token'), { recursive: true, force: true })
    write('token', 'hush-hush')
    await clock.advance(1_000)
    expect(secrets.current().token).toBe('hush-hush')
    expect(log.at('info')).toEqual(['credentials can be read again'])
  })

  it('is in use at once when it comes back with another value', async () => {
    write('token', 'first')
    const secrets = ofToken()
    rmSync(at('token'))
    await clock.advance(1_000)
    expect(secrets.current().token).toBe('first')
    write('token', 'second')
    await clock.advance(1_000)
    expect(secrets.current().token).toBe('second')
    expect(log.at('info')).toEqual(['credentials changed and are in use'])
  })

  it('keeps what the configuration file said while that is broken, and never quotes it', async () => {
    write('holdfast.yaml', 'forge: { token: first }')
    const secrets = open({})
    write('holdfast.yaml', 'forge: { token: "hush-hush')
    await clock.advance(1_000)
    expect(secrets.current().token).toBe('first')
    expect(log.at('warn')).toHaveLength(1)
    expect(JSON.stringify(log.lines)).not.toContain('hush')
  })

  it('is read again when its rights allow it', async (context) => {
    if (process.getuid?.() === 0) context.skip('DID NOT RUN: root may read every file')
    write('token', 'first')
    const secrets = ofToken()
    write('token', 'second')
    chmodSync(at('token'), 0)
    await clock.advance(1_000)
    expect(secrets.current().token).toBe('first')
    chmodSync(at('token'), 0o600)
    await clock.advance(1_000)
    expect(secrets.current().token).toBe('second')
  })

  it('ends the start where the first reading fails', () => {
    expect(ofToken).toThrow(expect.objectContaining({ code: 'E_CONFIG_INVALID' }))
  })
})
