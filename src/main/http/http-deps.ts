import type { Readiness } from '../../api/index.ts'
import type { ControlDeps } from '../../control/index.ts'
import type { DiskHeadroomBoard } from '../../controllers/ledger/disk/index.ts'
import { createWaiters, type DispatchDeps, poll } from '../../dispatch/index.ts'
import { type HttpDeps, isLoopbackHost } from '../../http/index.ts'
import { type IntakeDeps, receive } from '../../intake/index.ts'
import type { TrackedTasks } from '../../platform/lifecycle/index.ts'
import type { ServedMetrics } from '../../platform/metrics/index.ts'
import type { Ledger } from '../../ports/ledger.ts'
import type { Vault } from '../../ports/vault.ts'
import { retireInstallation } from '../../recovery/index.ts'
import type { Base } from '../base.ts'
import { isolationWarning, type OpenFleet } from '../fleet/index.ts'
import type { OpenForge } from '../forge/index.ts'
import { version } from '../version.ts'
import { forgeDeps } from './forge-deps.ts'
import { readGauges } from './gauges.ts'

/** The ports of the HTTP server. */
export function httpDeps(
  base: Base,
  opened: {
    readonly control: ControlDeps
    readonly vault: Vault
    readonly operatorToken: string
    readonly forge: OpenForge
    readonly fleet: OpenFleet
    readonly metrics: ServedMetrics
    readonly tasks: TrackedTasks
    readonly headroom: DiskHeadroomBoard
    readonly isServing: () => boolean
  },
): HttpDeps {
  const { config, clock, entropy, log } = base
  const { control, vault, operatorToken, forge, fleet, metrics, tasks, headroom, isServing } = opened
  const { ledger } = control
  const warning = isolationWarning(fleet)
  const dispatch: DispatchDeps = {
    clock,
    entropy,
    ledger,
    forge: control.forge,
    vault,
    metrics,
    log,
    settings: config.dispatch,
    waiters: createWaiters(ledger, clock, log),
    budget: forge.budget,
    shutdown: new AbortController().signal, // a claimed job is minted for and stored, also during a shutdown
  }
  const intake: IntakeDeps = {
    ledger,
    webhooks: forge.webhooks,
    installation: forge.installation,
    log,
    metrics,
    headroom,
  }
  return {
    ledger,
    dispatch: {
      expected: dispatch.waiters.recent,
      poll: (runner, signal) => poll(runner, dispatch, signal),
      ack: (handle) => ledger.acknowledge(handle),
    },
    forge: forgeDeps(control),
    receive: (delivery) => receive(delivery, intake),
    retire: (installation) => retireInstallation(installation, control),
    identity: fleet.identity,
    agents: fleet.agents,
    metrics: {
      observe: metrics.observe,
      count: metrics.count,
      contentType: metrics.contentType,
      async text() {
        await readGauges(ledger, metrics, log)
        fleet.measure()
        return metrics.text()
      },
    },
    health: {
      ready: () => readiness(ledger, headroom, isServing(), fleet),
      live: () => ({ live: tasks.dead().length === 0, dead: [...tasks.dead()] }),
    },
    about: {
      version,
      installation: forge.installation,
      forge: { kind: forge.kind, url: forge.url },
      dataDir: config.dataDir,
      ...(warning !== null && { notIsolated: warning }),
      startedAt: new Date(clock.now()).toISOString(),
    },
    publicUrl: config.http.publicUrl ?? null,
    operatorToken,
    isLoopback: isLoopbackHost(config.http.host),
    log,
    redactor: base.redactor,
    clock,
  }
}

async function readiness(
  ledger: Ledger,
  headroom: DiskHeadroomBoard,
  isServing: boolean,
  { leads }: OpenFleet,
): Promise<Readiness> {
  const diskProblem = headroom.why()
  const ofLedger = await ledger.now().then(
    () => ({ name: 'ledger', ready: true }),
    (error: Error) => ({ name: 'ledger', ready: false, why: error.message }),
  )
  const ofLoops = { name: 'loops', ready: isServing, ...(isServing ? {} : { why: 'starting or stopping' }) }
  const closing = leads?.leadership.term()?.closing ?? null
  const ofFleet = { name: 'fleet', ready: closing === null, ...(closing !== null && { why: closing }) }
  const ofDisk = { name: 'disk', ready: false, why: `the disk that holds the ledger is full: ${diskProblem}` }
  const parts = [
    ofLedger,
    ofLoops,
    ...(closing === null ? [] : [ofFleet]),
    ...(diskProblem === null ? [] : [ofDisk]),
  ]
  return { ready: parts.every(({ ready }) => ready), parts }
}
