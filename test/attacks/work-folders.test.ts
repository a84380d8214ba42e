import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { createHostActs, createSshHosts } from '../../src/adapters/workdir/index.ts'
import type { RunnerHost, SshTarget } from '../../src/domain/workdir/index.ts'
import { freePort } from '../../src/main/machine/free-port.ts'
import { createClock } from '../../src/platform/clock.ts'
import { hostActsContract } from '../contract/runner-hosts/acts.ts'
import { type MadeHost, runnerHostsContract } from '../contract/runner-hosts/contract.ts'
import { installSsh, knownHost, makeKey, type Sshd, startSshd } from '../support/sshd.ts'
import { type TemporaryFolder, temporaryFolder } from '../support/temporary.ts'
import { untilTestEnds } from '../support/until-test-ends.ts'
import { createPausedFind, type PausedFind } from '../support/workdirs/paused-find.ts'
import { makeRealHost } from '../support/workdirs/real-host.ts'

const installMs = 300_000
const isRoot = process.getuid?.() === 0
const program = path.join(import.meta.dirname, '../../src/main/cli.ts')

let folder: TemporaryFolder
let findFolder: TemporaryFolder
let sshd: Sshd
let paused: PausedFind
beforeAll(async () => {
  await installSsh()
  folder = await temporaryFolder('holdfast-sshd-')
  findFolder = await temporaryFolder('holdfast-find-')
  paused = await createPausedFind(findFolder.path)
  sshd = await startSshd(folder.path, paused.runner)
}, installMs)
afterAll(async () => {
  await sshd?.[Symbol.asyncDispose]()
  await folder?.[Symbol.asyncDispose]()
  await findFolder?.[Symbol.asyncDispose]()
})

function made(): Promise<MadeHost> {
  const deps = { clock: createClock(), program: 'ssh', env: process.env }
  const sources = { hosts: createSshHosts(deps), acts: createHostActs(deps) }
  const { whileReading } = paused
  return makeRealHost({ ...sources, ssh: sshd.target, ...(isRoot && { ownerUid: 1001 }), whileReading })
}

runnerHostsContract('a real sshd', made, isRoot)
hostActsContract('a real sshd', made, isRoot)

describe('holdfast workdir over a real ssh', { timeout: 60_000 }, () => {
  it('finds what a container job of root left, and looks at nothing outside', async () => {
    const host = untilTestEnds(await made())
    await host.directory('web/web/dist', isRoot ? { uid: 0 } : { mode: 0o555 })
    await host.symlink('web/web/out', '/etc')
    await host.directory('api/api')
    const { code, out } = await holdfast([host.host], 'audit', '--json')
    expect(code, out).toBe(1)
    expect(JSON.parse(out)).toMatchObject({
      hosts: [{ verdict: 'contaminated' }],
      findings: [{ class: 'single-repo-candidate', subject: { name: 'honey-am-2' } }],
      unjudged: [],
    })
    expect(out).not.toContain('passwd')
  })

  it('keeps its hands off where a Worker starts while it looks', async () => {
    const host = untilTestEnds(await made())
    await host.directory('web/web/locked', { mode: 0o555 })
    host.whileReading(() => host.start('Runner.Worker', 'here'))
    const { code, out } = await holdfast([host.host], 'audit', '--json')
    expect(code, out).toBe(2)
    expect(JSON.parse(out)).toMatchObject({ hosts: [{ verdict: 'in-use' }], findings: [] })
  })

  it('leads from a log to the folder on that host', async () => {
    const host = untilTestEnds(await made())
    await host.directory('web/web/locked', { mode: 0o555 })
    const log = path.join(folder.path, 'job.log')
    await writeFile(
      log,
      `Error: EACCES: permission denied, unlink '${host.host.root}/_work/web/web/locked/a'\n`,
    )
    const { code, out } = await holdfast([host.host], 'triage', log)
    expect(code, out).toBe(1)
    expect(out).toContain('no change in the repository helps')
  })

  const keyOfAnother = async (): Promise<string> => {
    const key = path.join(folder.path, 'another')
    await makeKey(key)
    await writeFile(`${key}_hosts`, await knownHost(sshd.target.port, `${key}.pub`))
    return `${key}_hosts`
  }
  it.each<[string, () => Promise<Partial<SshTarget>>, RegExp]>([
    [
      'whose key is another one',
      async () => ({ knownHosts: await keyOfAnother() }),
      /another machine may answer/,
    ],
    ['whose key nobody knows', async () => ({ knownHosts: '/dev/null' }), /host key is not known/],
    [
      'that takes none of our keys',
      async () => ({ identityFile: path.join(folder.path, 'host_key') }),
      /none of our keys/,
    ],
    ['where nobody listens', async () => ({ port: await freePort('127.0.0.1') }), /Connection refused/],
  ])('does not judge a host %s', async (_, given, why) => {
    const host = untilTestEnds(await made())
    const { code, out } = await holdfast(
      [{ ...host.host, ssh: { ...sshd.target, ...(await given()) } }],
      'audit',
      '--json',
    )
    expect(code, out).toBe(2)
    expect(JSON.parse(out)).toMatchObject({ hosts: [{ verdict: 'unreachable' }], findings: [] })
    expect(JSON.parse(out).unjudged[0].why).toMatch(why)
  })
})

/** The program itself, with a contract file that declares these hosts. */
async function holdfast(
  runnerHosts: readonly RunnerHost[],
  ...args: string[]
): Promise<{ code: number; out: string }> {
  const contract = path.join(folder.path, 'contract.yaml')
  await writeFile(contract, stringify({ version: 1, runnerHosts }))
  return new Promise((resolve) => {
    const all = [program, 'workdir', ...args, '--contract', contract]
    execFile(process.execPath, all, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out: stdout + stderr })
    })
  })
}
