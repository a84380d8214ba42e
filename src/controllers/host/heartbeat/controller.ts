import { incidentTable } from '../../../domain/incident/index.ts'
import { heartbeatMs } from '../../../domain/recovery/index.ts'
import { done, eachApart, type Loop } from '../../../loop/index.ts'
import type { HostKind, HostLedger, HostRow, IncidentLedger } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'

export interface HeartbeatDeps {
  readonly ledger: HostLedger & IncidentLedger
  readonly host: { readonly id: string }
  readonly kind: HostKind
  readonly installation: string
  readonly metrics: Metrics
  readonly log: Log
}

const kind = 'host-lost'

/** Writes the heartbeat of this host, and reports lost hosts. Recovery judges their runners. */
export function heartbeatLoop(deps: HeartbeatDeps): Loop {
  return {
    name: 'host-heartbeat',
    resyncMs: heartbeatMs,
    wokenBy: () => false,
    async pass() {
      const { ledger, host, log } = deps
      await ledger.heartbeat({ id: host.id, kind: deps.kind })
      const steps = {
        'report lost hosts': () => reportLostHosts(deps),
        'end lost hosts': () => endLost(deps),
      }
      await eachApart(
        Object.entries(steps),
        ([, step]) => step(),
        ([step], error) => log.warn({ step, err: error }, 'a step of the look at hosts failed'),
      )
      return done
    },
  }
}

async function endLost({ ledger, log }: HeartbeatDeps): Promise<void> {
  for (const id of await ledger.endLostHosts()) log.info({ host: id }, 'a lost host has no runner any more')
}

/** A lost host is an incident until its heartbeat returns, or none of its runners is left. */
async function reportLostHosts(deps: HeartbeatDeps): Promise<void> {
  const { ledger, host, log } = deps
  const hosts = await ledger.hosts()
  const lost = hosts.filter((each) => each.id !== host.id && each.endedAt === null && each.isLost)
  const open = (await ledger.incidents(0)).filter((each) => each.kind === kind)
  const isOpen = (id: string) => open.some(({ key }) => key === id)
  const news = lost.filter(({ id, liveRunners }) => liveRunners > 0 && !isOpen(id))
  const over = open.filter(({ key }) => !lost.some(({ id, liveRunners }) => id === key && liveRunners > 0))
  const steps = [
    ...news.map((each) => ({ id: each.id, work: () => raise(each, deps) })),
    ...over.map(({ installation, scope, key }) => ({
      id: key,
      work: () => ledger.liftIncident({ kind, installation, scope, key }),
    })),
  ]
  await eachApart(
    steps,
    ({ work }) => work(),
    ({ id }, error) => log.warn({ host: id, err: error }, 'a lost host could not be noted'),
  )
}

async function raise({ id, heartbeatAt, liveRunners }: HostRow, deps: HeartbeatDeps): Promise<void> {
  const { ledger, installation, metrics, log } = deps
  const reason = `${liveRunners} runners were on it; its last heartbeat was at ${new Date(heartbeatAt).toISOString()}.`
  const raised = await ledger.raiseIncident({ kind, installation, scope: 'installation', key: id, reason }, 0)
  if (raised !== 'opened') return
  const { title, todo } = incidentTable[kind]
  metrics.count('holdfast_incidents_total', { kind })
  log.error({ host: id, reason, incident: kind, title, todo }, 'a host is lost')
}
