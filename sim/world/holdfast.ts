import { createSharedBudget } from '../../src/budget/index.ts'
import { type ControlDeps, type ControlSettings, controlLoops } from '../../src/control/index.ts'
import { createDiskHeadroom } from '../../src/controllers/ledger/disk/index.ts'
import { createWaiters, type DispatchDeps, type DispatchSettings, poll } from '../../src/dispatch/index.ts'
import type { Runner } from '../../src/domain/runner/index.ts'
import { type IntakeDeps, receive } from '../../src/intake/index.ts'
import { runLoop } from '../../src/loop/index.ts'
import type { Disk } from '../../src/ports/disk.ts'
import type { Forge } from '../../src/ports/forge.ts'
import type { ForgeDeliveries } from '../../src/ports/forge-deliveries.ts'
import type { Identity } from '../../src/ports/identity.ts'
import type { Leader, Ledger, RunnerLedger } from '../../src/ports/ledger.ts'
import type { Log } from '../../src/ports/log.ts'
import type { Metrics } from '../../src/ports/metrics.ts'
import type { RecordSink } from '../../src/ports/record-sink.ts'
import type { Secrets } from '../../src/ports/secrets.ts'
import type { Vault } from '../../src/ports/vault.ts'
import type { RawDelivery, Webhooks } from '../../src/ports/webhooks.ts'
import { createRedeliveryMemory } from '../../src/recovery/index.ts'
import type { FleetSide } from './fleet.ts'
import { type ForeignSide, reapSourceOf } from './foreign/index.ts'
import { clockOf, type Life, type LifeDeps, seenBy, whenAwake } from './life.ts'
import { budgetedForge, type RateLimit } from './rate-limit.ts'
import type { ServerSide } from './runner.ts'

/** The state that outlives a process of Holdfast. */
export interface Surroundings extends FleetSide {
  readonly ledger: Ledger
  readonly forge: Forge
  readonly deliveries: ForgeDeliveries | null
  readonly limit: RateLimit
  /** The forge's secondary rate limit in points a minute; null: none. */
  readonly pointsPerMinute: number | null
  readonly sink: RecordSink
  /** The disk of the ledger; null: it is elsewhere. */
  readonly disk: Disk | null
  readonly webhooks: Webhooks
  readonly vault: Vault
  readonly secrets: Secrets
  /** A fleet of ARC that the leader reaps; null: there is none. */
  readonly foreign: ForeignSide | null
}

export interface HoldfastOptions {
  readonly control: ControlSettings
  readonly dispatch: DispatchSettings
  readonly skewMs: number
  /** The loops that this process runs; a second process runs fewer. */
  readonly runs: (loop: string) => boolean
  readonly resyncFactor: number
}

export interface Holdfast extends ServerSide {
  readonly life: Life
  receive(delivery: RawDelivery): Promise<unknown>
}

/** Starts the real dispatch, intake, recovery and controllers as one process of the simulated world. */
export function startHoldfast(
  life: Life,
  around: Surroundings,
  options: HoldfastOptions,
  deps: LifeDeps,
): Holdfast {
  // The host over a cluster remembers a start before its request leaves.
  const immediate = [
    ...(around.isRemote ? (['start'] as const) : []),
    'onChange',
    'template',
    'uidOf',
    'evidenceDeadlineMs',
  ] as const
  const ledger = seenBy(around.ledger, 'ledger', life, deps, ['onWake'])
  const base = {
    clock: clockOf(life, deps.scheduler, options.skewMs),
    ledger,
    metrics: silentMetrics,
    log: historyLog(life, deps),
  }
  const { pointsPerMinute } = around
  const headroom = createDiskHeadroom(base.clock)
  const budget = createSharedBudget({
    ...base,
    installation: options.control.installation,
    pointsPerMinute,
  })
  const outside = <Port extends Forge | ForgeDeliveries>(port: Port): Port =>
    budgetedForge(seenBy(port, 'forge', life, deps, []), budget, around.limit)
  const control: Omit<ControlDeps, 'leader'> = {
    ...base,
    entropy: deps.random.fork(life.name),
    forge: outside(around.forge),
    deliveries: around.deliveries === null ? null : outside(around.deliveries),
    budget,
    redelivery: createRedeliveryMemory(),
    host: seenBy(around.host, around.isRemote ? 'cluster' : 'host', life, deps, immediate),
    pools:
      around.declared === null
        ? null
        : seenBy(around.declared, 'cluster', life, deps, ['onChange', 'recordEvent']),
    secrets: around.isRemote ? null : around.secrets,
    sink: seenBy(around.sink, 'sink', life, deps, []),
    disk: around.disk === null ? null : { disk: around.disk, headroom },
    webhooks: around.webhooks,
    reap: around.foreign === null ? null : reapSourceOf(around.foreign, life, deps, base.clock),
    settings: options.control,
  }
  const shutdown = new AbortController().signal // a killed process ends without a word
  const dispatch: DispatchDeps = {
    ...control,
    vault: around.vault,
    settings: options.dispatch,
    waiters: createWaiters(ledger, control.clock, control.log),
    shutdown,
  }
  const intake: IntakeDeps = { ...control, headroom, installation: options.control.installation }
  const loopDeps = { ...control, onWake: ledger.onWake, onFailure: () => undefined }
  async function act(leader: Leader | null, signal: AbortSignal): Promise<void> {
    const loops = controlLoops({ ...control, leader: () => leader }).filter(({ name }) => options.runs(name))
    await Promise.all(
      loops.map((loop) =>
        runLoop({ ...loop, resyncMs: loop.resyncMs * options.resyncFactor }, loopDeps, signal),
      ),
    )
  }
  lead(around.leads, act, shutdown).catch((error) => {
    throw error // a loop never fails by itself
  })
  const awake = () => new Promise<void>((resolve) => whenAwake(life, deps.scheduler, resolve))
  return {
    life,
    async receive(delivery) {
      await awake()
      return receive(delivery, intake)
    },
    async poll(name, proof) {
      await awake()
      const runner = await ledger.findRunner(name)
      if (runner === null || !(await isProven(runner, proof, around.identity, ledger))) return 'refused'
      return poll(runner, dispatch, shutdown)
    },
    async acknowledge(_runner, handle) {
      await awake()
      const result = await ledger.acknowledge(handle)
      return result.kind === 'ok' ? 'acknowledged' : 'lost'
    },
  }
}

/** Acts for ever where nobody else does, else in every own term; the work of a term ends before the next begins. */
async function lead(
  leads: FleetSide['leads'],
  act: (leader: Leader | null, signal: AbortSignal) => Promise<void>,
  shutdown: AbortSignal,
): Promise<void> {
  if (leads === null) return act(null, shutdown)
  let work = Promise.resolve()
  leads.leadership.onChange((term) => {
    if (term === null) return
    work = work.then(() => act({ lease: leads.lease, token: term.token }, term.signal))
    work.catch((error) => {
      throw error
    })
  })
}

async function isProven(
  runner: Runner,
  proof: string,
  identity: Identity,
  ledger: RunnerLedger,
): Promise<boolean> {
  const hash = await identity.of(runner.name, proof, new AbortController().signal)
  if (hash === null) return false
  if (runner.identityHash !== null) return runner.identityHash === hash
  return identity.provesName && (await ledger.bindIdentity(runner.id, hash)) === 'bound'
}

const silentMetrics: Metrics = { count() {}, set() {}, observe() {} }

/** Warnings and errors become part of the history; the rest would drown it. */
function historyLog(life: Life, { history }: LifeDeps): Log {
  const note = (fields: object, message: string) => {
    if (life.alive) history.note(life.name, `${message} ${JSON.stringify(fields, shortErrors)}`)
  }
  const log: Log = { debug() {}, info: note, warn: note, error: note, child: () => log }
  return log
}

function shortErrors(_key: string, value: unknown): unknown {
  return value instanceof Error ? value.message : value
}
