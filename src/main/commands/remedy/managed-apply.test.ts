import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { answering, routed } from '../../../../test/contract/github/answering.ts'
import { putArcState } from '../../../../test/support/arc-server.ts'
import { kubeconfig } from '../../../adapters/kubernetes/client/testing/kubeconfig-file.ts'
import type { FakeObject } from '../../../adapters/kubernetes/client/testing/truth.ts'
import type { ManagedApplyOrder } from '../../../cli/index.ts'
import type { ApplyRecord } from '../../../domain/remedy/managed-apply/index.ts'
import { loadConfig } from '../../../platform/config/index.ts'
import { managedApply, readApplies, readTrail } from './index.ts'

const never = new AbortController().signal
const arc = '/apis/actions.github.com/v1alpha1/namespaces'
const scaleSets = `${arc}/arc-runners/autoscalingrunnersets`
const listeners = `${arc}/arc-systems/autoscalinglisteners`
const runners = `${arc}/arc-runners/ephemeralrunners`
const token = 'ghp_0123456789abcdefghij0123456789abcdef'
const name = 'arc-demo'
const entry = fileURLToPath(new URL('../../cli.ts', import.meta.url))

type Api = Awaited<ReturnType<typeof kubeconfig>>['api']

/** A stand-in for ARC: the listener takes the caps of its set on, and a set that is frozen loses its idle runners. */
function standInForArc({ truth }: Api): void {
  truth.onEvent((collection, { type, object }) => {
    if (collection !== scaleSets || type !== 'MODIFIED') return
    const { minRunners = 0, maxRunners } = specOf(object)
    const [listener] = truth.objects(listeners)
    if (listener === undefined) return
    truth.put(listeners, listener.metadata.name, {
      ...listener,
      spec: { ...specOf(listener), minRunners, maxRunners },
    })
    if (maxRunners !== 0) return
    for (const runner of truth.objects(runners)) truth.remove(runners, runner.metadata.name)
  })
}

/** A healthy set of ARC with two idle runners, a forge, and a data folder. */
async function ground() {
  const { api, file } = await kubeconfig()
  putArcState(api.truth, '0.14.2/a-healthy-idle')
  const url = await answering(
    routed({ '/api/v3/orgs/bench/actions/runners': () => [200, { total_count: 0, runners: [] }] }),
  )
  const set = () => api.truth.get(scaleSets, name) as FakeObject
  const change = (spec: object) =>
    api.truth.put(scaleSets, name, { ...set(), spec: { ...specOf(set()), ...spec } })
  change({ githubConfigUrl: `${url}/bench` })
  standInForArc(api)
  const dataDir = mkdtempSync(join(tmpdir(), 'holdfast-apply-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  const env = {
    PATH: process.env.PATH,
    HOME: dataDir,
    HOLDFAST_DATA_DIR: dataDir,
    HOLDFAST_FORGE_KIND: 'github',
    HOLDFAST_FORGE_URL: url,
    HOLDFAST_FORGE_TOKEN: token,
    HOLDFAST_FORGE_WEBHOOK_SECRETS: 'x'.repeat(32),
  }
  const { config } = loadConfig({ env, flags: {}, readFile: () => undefined, isRoot: false })
  /** The program itself, as a process. */
  const program = (...args: string[]) => {
    const dashes = args.indexOf('--')
    const at = dashes === -1 ? args.length : dashes
    const connected = args[1] === 'status' ? args : args.toSpliced(at, 0, '--kubeconfig', file)
    const child = spawn(process.execPath, [entry, ...connected], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    // Not `close`: a command that outlives it keeps the streams open.
    const out = kept(child.stdout)
    const err = kept(child.stderr)
    const ended = once(child, 'exit').then(([code]) => ({ code, out: out(), err: err() }))
    return { child, ended }
  }
  const progress: string[] = []
  const run = (act: ManagedApplyOrder['act'], signal = never) =>
    managedApply(
      config,
      { act, isJson: true, controllerNamespace: 'arc-systems', kubeconfig: file, context: undefined },
      (line) => void progress.push(line),
      signal,
    )
  const caps = () => {
    const { minRunners, maxRunners } = specOf(set())
    return [minRunners, maxRunners, Object.keys(set().metadata.annotations as object).filter(isMark)]
  }
  return { api, config, dataDir, progress, run, program, caps }
}

/** Everything that a stream has given so far. */
function kept(stream: Readable): () => string {
  const chunks: string[] = []
  stream.setEncoding('utf8').on('data', (chunk: string) => void chunks.push(chunk))
  return () => chunks.join('')
}

const isMark = (key: string) => key.startsWith('holdfast.dev/')

function specOf({ spec }: FakeObject): Record<string, unknown> {
  return spec as Record<string, unknown>
}

const begin = (...argv: string[]): ManagedApplyOrder['act'] => ({
  kind: 'begin',
  sets: [{ namespace: 'arc-runners', name }],
  argv,
  limits: { commandMaxMs: 60_000, settleMaxMs: 60_000, minAgeMs: 3_600_000 },
  isZeroWanted: false,
})

describe('holdfast apply on a cluster and a forge', () => {
  it('runs the command around frozen sets, proves the end, and the trail holds without a secret', async () => {
    const { config, dataDir, run, caps, api } = await ground()
    const { record, head } = await run(begin('sh', '-c', 'exit 0', `--token=${token}`))
    expect([record.state, caps()]).toEqual(['done', [2, 10, []]])
    const patches = api.requests.filter(({ method }) => method === 'PATCH').map(({ body }) => body)
    expect(patches).toMatchObject([
      { spec: { minRunners: 0, maxRunners: 0 } },
      { spec: { minRunners: 2, maxRunners: 10 } },
    ])
    const trail = await readTrail(config, head, never)
    expect([trail.problems, trail.rows.at(-1)?.step]).toEqual([[], 'done'])
    expect(trail.rows.every(({ actor, plan }) => actor.kind === 'person' && plan === record.id)).toBe(true)
    const stored = readdirSync(dataDir, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => readFileSync(join(each.parentPath, each.name), 'utf8'))
    expect(stored.join('')).not.toContain(token)
  }, 60_000)

  it('gives the caps back where the command fails, and says how it ended', async () => {
    const { run, caps } = await ground()
    const { record } = await run(begin('sh', '-c', 'exit 3'))
    expect([record.state, record.command.end, caps()]).toEqual([
      'failed',
      { kind: 'exited', code: 3 },
      [2, 10, []],
    ])
  }, 60_000)

  it('ends the command where the user interrupts, and gives the caps back', async () => {
    const { run, caps, progress } = await ground()
    const stop = new AbortController()
    const running = run(begin('sleep', '600'), stop.signal)
    await until(async () => progress.some((line) => line.includes('begins')))
    expect(caps()).toEqual([0, 0, ['holdfast.dev/managed-apply']])
    stop.abort()
    const { record } = await running
    expect([record.state, record.command.end, caps()]).toEqual([
      'failed',
      { kind: 'interrupted' },
      [2, 10, []],
    ])
  }, 60_000)

  it('refuses a set without a listener, and writes nothing to the cluster', async () => {
    const { run, api } = await ground()
    for (const { metadata } of api.truth.objects(listeners)) api.truth.remove(listeners, metadata.name)
    const { record } = await run(begin('true'))
    expect(record.state).toBe('refused')
    expect(api.requests.filter(({ method }) => method !== 'GET')).toEqual([])
  }, 60_000)

  it('that is killed with SIGKILL is shown as frozen, refuses another, waits for its command, and is given back', async () => {
    const { program, caps, config } = await ground()
    const words = ['--scale-set', 'arc-runners/arc-demo', '--', 'sleep', '600']
    const killed = program('apply', ...words)
    const opened = async () => (await readApplies(config))[0]
    await until(async () => (await opened())?.command.process != null)
    killed.child.kill('SIGKILL')
    await killed.ended
    expect(caps()).toEqual([0, 0, ['holdfast.dev/managed-apply']])
    const { id, command } = (await opened()) as ApplyRecord
    const sleeping = command.process?.pid ?? 0
    onTestFinished(() => end(sleeping))

    const status = await program('apply', 'status').ended
    expect([status.code, status.out]).toEqual([8, expect.stringContaining(`apply abort ${id}`)])
    const another = await program('apply', ...words).ended
    expect([another.code, another.err]).toEqual([5, expect.stringContaining(`apply ${id} is unfinished`)])
    const early = await program('apply', 'abort').ended
    expect([early.code, early.err]).toEqual([5, expect.stringContaining(`still runs as process ${sleeping}`)])
    end(sleeping)
    const asked = await program('apply', 'resume').ended
    expect([asked.code, asked.err]).toEqual([5, expect.stringContaining('--command-done')])
    expect(caps()).toEqual([0, 0, ['holdfast.dev/managed-apply']])

    const aborted = await program('apply', 'abort').ended
    expect([aborted.code, aborted.out]).toEqual([0, expect.stringContaining('Aborted, the caps are back')])
    expect(caps()).toEqual([2, 10, []])
    const done = await program('apply', ...words.slice(0, 3), 'sh', '-c', 'echo upgraded').ended
    expect([done.code, done.out]).toEqual([0, expect.stringMatching(/^upgraded\nDone and proven/)])
  }, 120_000)
})

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('it did not come to pass within 30 s')
}

/** The command that outlived its Holdfast. */
function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
