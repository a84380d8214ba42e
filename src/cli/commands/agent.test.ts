import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { roles } from '../../../test/support/holdfast-cli.ts'
import type { AgentSettings } from '../../agent/index.ts'
import { agentEnvs } from '../agent-settings.ts'
import { runCli } from '../index.ts'

async function run(env: Record<string, string>, ...args: string[]) {
  const got: AgentSettings[] = []
  let [out, err] = ['', '']
  const unused = () => Promise.reject(new Error('not in this test'))
  const code = await runCli(['agent', ...args], {
    roles: {
      ...roles,
      async agent(settings, _level, onReady) {
        got.push(settings)
        onReady()
        return 0
      },
    },
    env: { HOLDFAST_DATA_DIR: '/data', ...env },
    readFile: () => undefined,
    readTail: unused,
    isRoot: false,
    isTerminal: false,
    fetch: unused,
    instances: { in: unused, all: unused },
    self: 'holdfast',
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
    clock: { now: () => 0, sleep: unused, after: () => () => {} },
    signal: new AbortController().signal,
    version: '0.1.0',
  })
  return { code, out, err, settings: got[0] }
}

describe('holdfast agent', () => {
  it('watches this machine for the Holdfast on it without any setting', async () => {
    const { code, settings, out } = await run({})
    expect(code).toBe(0)
    expect(settings).toMatchObject({
      url: 'http://127.0.0.1:8480',
      tokenFile: '/data/agent-token',
      folder: '/data/agent',
      below: '',
      cgroups: '/sys/fs/cgroup',
      proc: '/proc',
      kernelLog: '/dev/kmsg',
      images: '/',
      sampleMs: 1_000,
    })
    expect(out).toMatch(/^Watching node \S+; reporting to http:\/\/127.0.0.1:8480\n$/)
  })

  it('takes options before the environment', async () => {
    const env = {
      HOLDFAST_AGENT_URL: 'https://holdfast.example',
      HOLDFAST_AGENT_TOKEN_FILE: '/token',
      HOLDFAST_AGENT_NODE: 'node-1',
      HOLDFAST_AGENT_SAMPLE_MS: '5000',
    }
    const { settings } = await run(env, '--node', 'node-2', '--json')
    expect(settings).toMatchObject({ url: 'https://holdfast.example', tokenFile: '/token', node: 'node-2' })
    expect(settings?.sampleMs).toBe(5_000)
  })

  it('names every setting that is wrong, and exits with 3', async () => {
    const { code, err, settings } = await run(
      { HOLDFAST_AGENT_URL: 'ftp://x' },
      ...['--sample-ms', '1', '--folder', 'here', '--node', 'two words', '--below', '../up'],
    )
    expect([code, settings]).toEqual([3, undefined])
    for (const flag of ['--url', '--sample-ms', '--folder', '--node', '--below'])
      expect(err).toContain(`- ${flag} (`)
  })

  it('does not send this machine’s token to another one', async () => {
    const { code, err } = await run({}, '--url', 'https://elsewhere.example')
    expect(code).toBe(3)
    expect(err).toContain('--token-file (HOLDFAST_AGENT_TOKEN_FILE): got "", expected a file')
  })

  it('takes the environment that deploy/agent.yaml gives it', async () => {
    const file = new URL('../../../deploy/agent.yaml', import.meta.url)
    const [, daemonSet] = parseAllDocuments(readFileSync(file, 'utf8')).map((one) => one.toJS())
    const { env } = daemonSet.spec.template.spec.containers[0]
    const given = env.map(({ name, value }: { name: string; value?: string }) => [name, value ?? 'node-1'])
    const { code, settings, err } = await run(Object.fromEntries(given))
    expect([code, err]).toEqual([0, ''])
    expect(settings).toMatchObject({ node: 'node-1', cgroups: '/host/cgroup', kernelLog: '/host/kmsg' })
    const names = given.map(([name]: [string]) => name)
    expect(names.filter((name: string) => !agentEnvs.has(name))).toEqual([])
  })
})
