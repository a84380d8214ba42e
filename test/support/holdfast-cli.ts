import { type CliDeps, type Roles, runCli } from '../../src/cli/index.ts'
import { HoldfastError } from '../../src/domain/errors/index.ts'
import type { ForgeKindName } from '../../src/domain/forge/index.ts'
import { emptyHead } from '../../src/domain/trail/index.ts'
import { type HttpDeps, type Serving, serve } from '../../src/http/index.ts'
import { ManualClock } from '../../src/platform/lifecycle/fakes.ts'
import { type Bench, createBench, operatorToken } from './holdfast-app.ts'

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** The command line against a real server on this machine, and a simulated forge behind its `fetch`. */
export interface CliBench {
  readonly bench: Bench
  readonly serving: Serving
  run(...args: string[]): Promise<Ran>
  /** The same with other parts. */
  runWith(deps: Partial<CliDeps>, ...args: string[]): Promise<Ran>
  close(): Promise<void>
}

const forgeUrl = 'http://forge.invalid'

/** Events outside while the command waits: one at each pause; when none is left the command is ended. */
export type Steps = (() => Promise<unknown> | undefined)[]

export async function createCliBench(
  forgeKind: ForgeKindName = 'simulated',
  steps: Steps = [],
  over: Partial<HttpDeps> = {},
): Promise<CliBench> {
  const bench = await createBench({
    about: {
      version: '0.1.0',
      installation: 'contract',
      forge: { kind: forgeKind, url: forgeUrl },
      startedAt: '2026-01-02T03:04:05.000Z',
    },
    ...over,
  })
  const serving = await serve(bench.app, { host: '127.0.0.1', port: 0, drainMs: 1, clock: new ManualClock() })
  let forgeJobId = 1000
  const ended = new AbortController()
  const fetchAll: typeof fetch = async (input, init) => {
    const url = String(input)
    if (!url.startsWith(forgeUrl)) return fetch(input, init)
    const { repository, name, labels } = JSON.parse(String(init?.body))
    if (!/^[^/]+\/[^/]+$/.test(repository))
      return Response.json({ message: 'expected owner/name' }, { status: 422 })
    forgeJobId += 1
    await bench.queue(forgeJobId, { repository, name, labels })
    return Response.json({ id: forgeJobId }, { status: 201 })
  }
  let nowMs = Date.UTC(2026, 0, 2, 3, 4, 5)
  const clock: CliDeps['clock'] = {
    now: () => nowMs,
    async sleep(delayMs) {
      nowMs += delayMs
      const step = steps.shift()
      if (step === undefined) throw new Error('ended')
      await step()
    },
    after: () => () => {},
  }
  const files: Record<string, string> = { '/data/operator-token': `${operatorToken}\n` }
  const runWith: CliBench['runWith'] = async (over, ...args) => {
    const out = kept()
    const err = kept()
    const code = await runCli(args, {
      roles,
      env: { HOLDFAST_DATA_DIR: '/data', HOLDFAST_HTTP_PORT: String(serving.port) },
      readFile: (file) => files[file],
      readTail: async () => ({ bytes: new Uint8Array(), isCut: false, writtenAt: null }),
      isRoot: false,
      instances: { in: async () => null, all: async () => [] },
      self: 'holdfast',
      stdout: out,
      stderr: err,
      isTerminal: false,
      fetch: fetchAll,
      clock,
      signal: ended.signal,
      version: '0.1.0',
      ...over,
    })
    return { code, out: out.text(), err: err.text() }
  }
  return {
    bench,
    serving,
    run: (...args) => runWith({}, ...args),
    runWith,
    close: () => serving.close(),
  }
}

function kept() {
  const written: string[] = []
  return { write: (text: string) => written.push(text), text: () => written.join('') }
}

/** Roles that only say that they were asked. */
export const roles: Roles = {
  async up(config, onServing) {
    onServing({
      url: `http://127.0.0.1:${config.http.port}`,
      forge: { kind: config.forge.kind, url: 'http://127.0.0.1:8481' },
      fleet: { kind: config.fleet.kind, where: 'processes of this machine', warning: null },
      dataDir: config.dataDir,
      database: 'embedded',
    })
    return 0
  },
  migrate: async (_, { dryRun }) =>
    dryRun ? { applied: [], pending: ['0001_ledger.sql'] } : { applied: ['0001_ledger.sql'], pending: [] },
  async agent(_settings, _level, onReady) {
    onReady()
    return 0
  },
  examine: async () => [{ name: 'disk', result: 'ok', found: '9000 MiB free in /data', todo: null }],
  rotateKeys: async () => ({ keyId: 'key-2' }),
  readForeignRunner: async () => {
    throw new Error('no cluster is in this test')
  },
  collectSnapshot: async () => {
    throw new Error('no cluster is in this test')
  },
  readSnapshot: async (file) => {
    throw new HoldfastError('E_SNAPSHOT_UNREADABLE', { file, reason: 'ENOENT' })
  },
  writeSnapshot: async (_, { collect }) => ({ snapshot: await collect(), bytes: 1_000 }),
  reap: async () => {
    throw new HoldfastError('E_REMEDY_FORGE', {})
  },
  fix: async () => {
    throw new HoldfastError('E_REMEDY_FORGE', {})
  },
  managedApply: async () => {
    throw new HoldfastError('E_REMEDY_FORGE', {})
  },
  readApplies: async () => [],
  probe: async () => {
    throw new HoldfastError('E_CLUSTER_CONFIG', { where: 'nowhere', problem: 'no cluster is in this test' })
  },
  treatHost: async (_, { host }) => {
    throw new HoldfastError('E_HOST_UNREADABLE', { host: host.name, why: 'no host is in this test' })
  },
  readTrail: async () => ({
    rows: [],
    head: emptyHead,
    store: 'files',
    place: 'trail.jsonl',
    problems: [],
  }),
  createTextFile: async () => undefined,
  lookAtRunnerHost: async () => ({ kind: 'unreachable', why: 'no host is in this test', needs: null }),
  uninstall: async (_, { isApproved }) => ({
    namespace: 'ci',
    isDone: isApproved,
    unseen: [],
    steps: [
      {
        what: 'RunnerPool linux',
        act: 'delete it',
        outcome: isApproved ? 'gone' : 'planned',
        why: null,
        needsLedger: false,
      },
      {
        what: 'Pod linux-1',
        act: 'leave it: a job runs in it, or may',
        outcome: 'left',
        why: null,
        needsLedger: false,
      },
    ],
  }),
  async simForge(_, onServing) {
    onServing({ url: 'http://127.0.0.1:8481' })
    return 0
  },
}
