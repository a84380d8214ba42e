import { auditDeps, type ControlDeps } from '../../../control/index.ts'
import { createApp, type HttpDeps, type Serving, serve } from '../../../http/index.ts'
import type { Part } from '../../../platform/lifecycle/index.ts'
import { type OpenFleet, reportNamespaceTerminating } from '../../fleet/index.ts'
import type { OpenLedger } from '../../ledger/index.ts'
import { drain } from '../drain.ts'
import type { Program } from '../program.ts'
import { runLoops, runLoopsInTerms } from '../run-loops.ts'

/** For connections that are still open when all runners are gone. */
const httpDrainMs = 1_000
/** Draining takes this much longer than running jobs get. */
const drainOverheadMs = 8_000

/** Serves the API, the pages and the dispatch. */
export function httpPart({ base, address }: Program, deps: HttpDeps): Part<Serving> {
  const { host, port } = address
  return {
    name: 'http',
    start: () => serve(createApp(deps), { host, port, drainMs: httpDrainMs, clock: base.clock }),
    stop: (server) => server.close(),
  }
}

/** The loops under way. */
interface Running {
  /** Resolves when no more runners are started. */
  readonly scaling: Promise<void>
}

/** Runs the loops: all the time where no other process acts on the fleet, else while this one leads. */
export function loopsPart(
  { base, tasks }: Program,
  control: ControlDeps,
  { keys, installation }: OpenLedger,
  { leads }: OpenFleet,
  draining: AbortSignal,
): Part<Running> {
  const { ledger } = control
  return {
    name: 'loops',
    async start() {
      const extra = [keys.resealLoop(ledger)]
      if (leads === null) return { scaling: runLoops(control, extra, tasks, draining) }
      const { lease, leadership } = leads
      runLoopsInTerms(control, extra, tasks, leadership)
      const deps = { ledger, installation, lease, log: base.log }
      tasks.run('fleet-closing', (own) => reportNamespaceTerminating(deps, leadership, own), 'loop')
      return { scaling: Promise.resolve() }
    },
    stop: () => tasks.stop(),
  }
}

/** Makes the program ready; at a shutdown, drains the runners that end with it. */
export function fleetPart(
  { base, metrics }: Program,
  given: {
    readonly control: ControlDeps
    readonly fleet: OpenFleet
    readonly scaling: Promise<void>
    readonly readiness: { isServing: boolean }
    readonly draining: AbortController
  },
): Part<void> {
  const { control, fleet, scaling, readiness, draining } = given
  const { config, clock, log } = base
  return {
    name: 'fleet',
    stopBoundMs: config.shutdown.drainMs + drainOverheadMs,
    async start() {
      readiness.isServing = true
    },
    async stop(_, signal) {
      readiness.isServing = false
      if (!fleet.endsWithUs) return
      draining.abort()
      await scaling // no new runners from here on
      const { ledger, host } = control
      const { installation, bounds, stopGraceMs } = auditDeps(control)
      await drain(
        { clock, ledger, host, log, metrics, stopGraceMs, installation, bounds },
        config.shutdown.drainMs,
        signal,
      )
    },
  }
}
