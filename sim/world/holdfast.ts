import { createSharedBudget } from '../../src/budget/index.ts'
import { type ControlDeps, type ControlSettings, controlLoops } from '../../src/control/index.ts'
import { createWaiters, type DispatchDeps, type DispatchSettings, poll } from '../../src/dispatch/index.ts'
import { type IntakeDeps, receive } from '../../src/intake/index.ts'
import { runLoop } from '../../src/loop/index.ts'
import type { Forge } from '../../src/ports/forge.ts'
import type { ForgeDeliveries } from '../../src/ports/forge-deliveries.ts'
import type { Ledger } from '../../src/ports/ledger.ts'
import type { Log } from '../../src/ports/log.ts'
import type { Metrics } from '../../src/ports/metrics.ts'
import type { RunnerHost } from '../../src/ports/runner-host.ts'
import type { Secrets } from '../../src/ports/secrets.ts'
import type { Vault } from '../../src/ports/vault.ts'
import type { RawDelivery, Webhooks } from '../../src/ports/webhooks.ts'
import { createRedeliveryMemory } from '../../src/recovery/index.ts'
import { clockOf, type Life, type LifeDeps, seenBy } from './life.ts'
import { budgetedForge, type RateLimit } from './rate-limit.ts'
import type { ServerSide } from './runner.ts'

/** What outlives a process of Holdfast. */
export interface Surroundings {
  readonly ledger: Ledger
  readonly forge: Forge
  readonly deliveries: ForgeDeliveries | null
  readonly limit: RateLimit
  readonly host: RunnerHost
  readonly webhooks: Webhooks
  readonly vault: Vault
  readonly secrets: Secrets
}

export interface HoldfastOptions {
  readonly control: ControlSettings
  readonly dispatch: DispatchSettings
  readonly skewMs: number
  /** The loops that this process runs; a second process runs fewer. */
  readonly runs: (loop: string) => boolean
  readonly sweepFactor: number
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
  const ledger = seenBy(around.ledger, 'ledger', life, deps, ['onWake'])
  const base = {
    clock: clockOf(life, deps.scheduler, options.skewMs),
    ledger,
    metrics: silentMetrics,
    log: historyLog(life, deps),
  }
  const budget = createSharedBudget({ ...base, installation: options.control.installation })
  const outside = <Port extends Forge | ForgeDeliveries>(port: Port): Port =>
    budgetedForge(seenBy(port, 'forge', life, deps, []), budget, around.limit)
  const control: ControlDeps = {
    ...base,
    entropy: deps.random.fork(life.name),
    forge: outside(around.forge),
    deliveries: around.deliveries === null ? null : outside(around.deliveries),
    budget,
    redelivery: createRedeliveryMemory(),
    host: seenBy(around.host, 'host', life, deps, ['onEnd']),
    secrets: around.secrets,
    webhooks: around.webhooks,
    settings: options.control,
  }
  const shutdown = new AbortController().signal // a killed process ends without a word
  const dispatch: DispatchDeps = {
    ...control,
    vault: around.vault,
    settings: options.dispatch,
    waiters: createWaiters(ledger, control.clock),
    shutdown,
  }
  const intake: IntakeDeps = { ...control, installation: options.control.installation }
  const loopDeps = { ...control, onWake: ledger.onWake, onFailure: () => undefined }
  for (const loop of controlLoops(control).filter(({ name }) => options.runs(name))) {
    runLoop({ ...loop, sweepMs: loop.sweepMs * options.sweepFactor }, loopDeps, shutdown).catch((error) => {
      throw error // a loop never ends by itself
    })
  }
  return {
    life,
    receive: (delivery) => receive(delivery, intake),
    async poll(name, secret) {
      const runner = await ledger.findRunner(name)
      if (runner === null || !around.secrets.matches(secret, runner.identityHash)) return 'refused'
      return poll(runner, dispatch, shutdown)
    },
    async acknowledge(_runner, handle) {
      const result = await ledger.acknowledge(handle)
      return result.kind === 'ok' ? 'acknowledged' : 'lost'
    },
  }
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
