import { createHash, randomBytes } from 'node:crypto'
import { createMemoryLedger, type MemoryLedger } from '../../sim/world/ledger/index.ts'
import type { ResyncReport } from '../../src/api/index.ts'
import { createWaiters, poll } from '../../src/dispatch/index.ts'
import type { ForgeJob, JobEvent } from '../../src/domain/job-event/index.ts'
import { type Pool, poolDefaults } from '../../src/domain/pool/index.ts'
import { createRedactor } from '../../src/domain/redact/index.ts'
import { type App, createApp, type HttpDeps, routePatterns } from '../../src/http/index.ts'
import { receive } from '../../src/intake/index.ts'
import { createEntropy } from '../../src/platform/entropy.ts'
import { KeptLog, ManualClock } from '../../src/platform/lifecycle/fakes.ts'
import { createMetrics } from '../../src/platform/metrics/index.ts'
import type { Forge } from '../../src/ports/forge.ts'
import type { Identity } from '../../src/ports/identity.ts'
import type { Cause } from '../../src/ports/ledger.ts'
import type { Secrets } from '../../src/ports/secrets.ts'
import type { Vault } from '../../src/ports/vault.ts'
import type { Webhooks } from '../../src/ports/webhooks.ts'
import { retireInstallation } from '../../src/recovery/index.ts'

export const operatorToken = 'operator-token-of-the-test'
export const agentToken = 'agent-token-of-the-test'
export const installation = 'contract'
export const cause: Cause = { source: 'audit' }

/** The HTTP side on the ledger's twin, with real dispatch and intake and a forge that mints at once. */
export interface Bench {
  readonly app: App
  readonly ledger: MemoryLedger
  readonly clock: ManualClock
  readonly log: KeptLog
  /** A request to `http://localhost/…`. */
  ask(path: string, init?: RequestInit): Promise<Response>
  /** The forge says that this job is queued; gives our number. */
  queue(forgeJobId: number, over?: Partial<ForgeJob>): Promise<number>
  /** Enrols a runner; gives its secret. */
  enrol(name: string): Promise<string>
  /** Enrols a runner that is to prove later who it is. */
  enrolUnbound(name: string): Promise<void>
  /** A question of this runner to the dispatch. */
  post(path: string, secret: string | undefined, body: unknown, init?: RequestInit): Promise<Response>
}

const pool: Pool = {
  ...poolDefaults,
  name: 'linux',
  labels: ['self-hosted', 'linux'],
  minWarm: 0,
  maxRunners: 4,
  priorities: [],
  fairness: { weights: {}, capPerRepository: null, capPerOwner: null, ageingMs: 3_600_000 },
}

/** A whole bench; what is given takes the place of its parts. */
export async function createBench(over: Partial<HttpDeps> = {}): Promise<Bench> {
  const clock = new ManualClock()
  await clock.advance(Date.UTC(2026, 0, 2, 3, 4, 5))
  const log = new KeptLog()
  const ledger = createMemoryLedger({ clock, entropy: createEntropy() })
  await ledger.putPools([pool], cause)
  const metrics = createMetrics({
    sets: { pools: [pool.name], routes: routePatterns, tasks: [] },
    ofProcess: false,
  })
  const deps = {
    clock,
    entropy: createEntropy(),
    ledger,
    forge: mintingForge(),
    vault: plainVault,
    metrics,
    log,
    settings: { pollMs: 30_000, mintDeadlineMs: 60_000, registerDeadlineMs: 120_000, mintFailuresMax: 5 },
    waiters: createWaiters(ledger, clock, log),
    shutdown: new AbortController().signal,
  }
  const app = createApp({
    ledger,
    forge: {
      ...deps.forge,
      resync: async () => emptyResync(new Date(clock.now()).toISOString()),
      budget: async () => ({ budget: null, pausedUntil: null }),
    },
    dispatch: {
      expected: deps.waiters.recent,
      poll: (runner, signal) => poll(runner, deps, signal),
      ack: (handle) => ledger.acknowledge(handle),
    },
    receive: (delivery) => receive(delivery, { ledger, webhooks, installation, log, metrics }),
    redactor: createRedactor({}),
    retire: (found) => retireInstallation(found, { ledger, log }),
    identity: secretIdentity,
    agents: { of: async (proof) => (proof === agentToken ? { node: null } : null) },
    metrics,
    health: {
      ready: async () => ({ ready: true, parts: [{ name: 'ledger', ready: true }] }),
      live: () => ({ live: true, dead: [] }),
    },
    about: {
      version: '0.1.0',
      installation,
      forge: { kind: 'simulated', url: 'http://127.0.0.1:1' },
      startedAt: new Date(clock.now()).toISOString(),
    },
    publicUrl: null,
    operatorToken,
    isLoopback: true,
    log,
    clock,
    ...over,
  })
  const ask: Bench['ask'] = async (path, init = {}) => {
    const headers = new Headers(init.headers)
    if (!headers.has('host')) headers.set('host', 'localhost')
    return app.fetch(new Request(`http://localhost${path}`, { ...init, headers }))
  }
  return {
    app,
    ledger,
    clock,
    log,
    ask,
    async queue(forgeJobId, jobOver = {}) {
      const result = await ledger.applyJobEvent(jobEventOf(forgeJobId, jobOver, clock.now()), cause)
      if (result.kind === 'foreign') throw new Error('no pool takes this job')
      return result.jobId
    },
    async enrol(name) {
      const { secret, hash } = secrets.create()
      await ledger.enrol(
        { name, pool: pool.name, host: 'host-1', identityHash: hash, bootDeadlineMs: 60_000 },
        cause,
      )
      return secret
    },
    async enrolUnbound(name) {
      await ledger.enrol(
        { name, pool: pool.name, host: 'host-1', identityHash: null, bootDeadlineMs: 60_000 },
        cause,
      )
    },
    post: (path, secret, body, init = {}) =>
      ask(path, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...init,
        headers: secret === undefined ? {} : { authorization: `Bearer ${secret}` },
      }),
  }
}

/** An event of the forge about a job, which is queued by default. */
export function jobEventOf(
  forgeJobId: number,
  over: Partial<ForgeJob> = {},
  queuedAt: number | null = null,
): JobEvent {
  const job: ForgeJob = {
    installation,
    forgeJobId,
    runId: 1,
    runAttempt: 1,
    visibility: 'private',
    repository: 'acme/web',
    name: 'test',
    labels: ['self-hosted'],
    ...over,
  }
  return {
    job,
    status: 'queued',
    runnerName: null,
    conclusion: null,
    queuedAt,
    startedAt: null,
    completedAt: null,
  }
}

const secrets: Secrets = {
  create() {
    const secret = randomBytes(16).toString('hex')
    return { secret, hash: createHash('sha256').update(secret).digest('hex') }
  },
  matches: (secret, hash) => createHash('sha256').update(secret).digest('hex') === hash,
}

const secretIdentity: Identity = {
  provesName: false,
  of: async (_, secret) => createHash('sha256').update(secret).digest('hex'),
}

const plainVault: Vault = {
  currentKeyId: 'key-1',
  seal: (plaintext) => ({ keyId: 'key-1', bytes: Buffer.from(plaintext as string) }),
  open: ({ bytes }) => Buffer.from(bytes).toString(),
}

/** A signature is the text `good`. */
const webhooks: Webhooks = {
  verify: ({ headers }) =>
    headers['x-signature'] === 'good'
      ? { kind: 'genuine', guid: headers['x-guid'] ?? '', event: headers['x-event'] ?? 'workflow_job' }
      : { kind: 'refused', why: 'the signature does not match' },
  parse: (event) => (event === 'ping' ? { kind: 'ping' } : { kind: 'ignored', why: 'not looked at here' }),
}

/** The report of a resync in which the forge and the ledger agree. */
export function emptyResync(at: string): ResyncReport {
  const nothing = { compared: 0, notCovered: [], differences: [], unreachable: [] }
  return { at, ...nothing, deliveries: null, budget: null, putOff: null }
}

/** Mints at once and obeys every order. */
function mintingForge(): Forge {
  let minted = 0
  return {
    async mint({ name }) {
      minted += 1
      return { kind: 'minted', forgeRunnerId: minted, jit: `jit-of-${name}` }
    },
    findRunner: async () => null,
    removeRunner: async () => 'absent',
    readJob: async () => null,
    readOrigin: async () => null,
    listJobs: async () => ({ events: [], read: [], notCovered: [], runsGone: 0 }),
    unreachable: async () => [],
    rerunJob: async () => ({ kind: 'done' }),
    rerunFailedJobs: async () => ({ kind: 'done' }),
    cancelRun: async () => ({ kind: 'done' }),
    readLog: async () => null,
    readJobDetail: async () => null,
    readRunJobs: async () => [],
    readRunHead: async () => null,
    readLimit: async () => {},
  }
}
