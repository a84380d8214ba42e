import type { Readiness } from '../api/index.ts'
import type { ControlDeps } from '../control/index.ts'
import type { RoomBoard } from '../controllers/ledger/disk/index.ts'
import { createWaiters, type DispatchDeps, poll } from '../dispatch/index.ts'
import { type HttpDeps, isLoopbackHost } from '../http/index.ts'
import { receive } from '../intake/index.ts'
import type { TrackedTasks } from '../platform/lifecycle/index.ts'
import type { ServedMetrics } from '../platform/metrics/index.ts'
import type { Ledger } from '../ports/ledger.ts'
import { retireInstallation } from '../recovery/index.ts'
import type { Base } from './base.ts'
import type { OpenFleet } from './fleet/index.ts'
import type { OpenForge } from './forge/index.ts'
import { forgeDeps } from './forge-deps.ts'
import { readGauges } from './gauges.ts'
import type { LedgerSide } from './ledger-side.ts'
import { version } from './version.ts'

/** What the HTTP side reads and calls. */
export function httpDeps(
  base: Base,
  given: {
    readonly control: ControlDeps
    readonly ledgerSide: LedgerSide
    readonly side: OpenForge
    readonly fleet: OpenFleet
    readonly metrics: ServedMetrics
    readonly tasks: TrackedTasks
    readonly room: RoomBoard
    readonly isServing: () => boolean
  },
): HttpDeps {
  const { config, clock, log } = base
  const { control, ledgerSide, side, fleet, metrics, tasks } = given
  const { ledger } = control
  const dispatch: DispatchDeps = {
    ...control,
    vault: ledgerSide.keys.vault,
    settings: config.dispatch,
    waiters: createWaiters(ledger, clock, log),
    shutdown: new AbortController().signal, // what was claimed is minted and stored, also during a shutdown
  }
  return {
    ledger,
    dispatch: {
      expected: dispatch.waiters.expected,
      poll: (runner, signal) => poll(runner, dispatch, signal),
      ack: (handle) => ledger.acknowledge(handle),
    },
    forge: forgeDeps(control),
    receive: (delivery) =>
      receive(delivery, { ...control, room: given.room, installation: side.installation }),
    retire: (installation) => retireInstallation(installation, control),
    identity: fleet.identity,
    agents: fleet.agents,
    metrics: {
      ...metrics,
      async text() {
        await readGauges(ledger, metrics, log)
        fleet.measure()
        return metrics.text()
      },
    },
    health: {
      ready: () => readiness(ledger, given, fleet),
      live: () => ({ live: tasks.dead().length === 0, dead: [...tasks.dead()] }),
    },
    about: {
      version,
      installation: side.installation,
      forge: { kind: side.kind, url: side.url },
      dataDir: config.dataDir,
      ...(fleet.isolation?.level === 'none' && { notIsolated: fleet.isolation.sentence }),
      startedAt: new Date(clock.now()).toISOString(),
    },
    publicUrl: config.http.publicUrl ?? null,
    operatorToken: ledgerSide.operatorToken,
    isLoopback: isLoopbackHost(config.http.host),
    log,
    redactor: base.redactor,
    clock,
  }
}

async function readiness(
  ledger: Ledger,
  given: { readonly room: RoomBoard; readonly isServing: () => boolean },
  { leads }: OpenFleet,
): Promise<Readiness> {
  const isServing = given.isServing()
  const noRoom = given.room.why()
  const ofLedger = await ledger.now().then(
    () => ({ name: 'ledger', ready: true }),
    (error: Error) => ({ name: 'ledger', ready: false, why: error.message }),
  )
  const ofLoops = { name: 'loops', ready: isServing, ...(isServing ? {} : { why: 'starting or stopping' }) }
  const closing = leads?.leadership.term()?.closing ?? null
  const ofFleet = { name: 'fleet', ready: closing === null, ...(closing !== null && { why: closing }) }
  const ofDisk = { name: 'disk', ready: false, why: `the disk that holds the ledger is full: ${noRoom}` }
  const parts = [
    ...[ofLedger, ofLoops],
    ...(closing === null ? [] : [ofFleet]),
    ...(noRoom === null ? [] : [ofDisk]),
  ]
  return { ready: parts.every(({ ready }) => ready), parts }
}
