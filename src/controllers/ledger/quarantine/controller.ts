import { done, type Loop, type Outcome } from '../../../loop/index.ts'
import type { IncidentLedger, JobReader } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'

export interface QuarantineDeps {
  readonly ledger: JobReader & IncidentLedger
  readonly installation: string
  readonly log: Log
  readonly metrics: Metrics
}

const resyncMs = 30_000
/** Jobs that are counted; more are reported as "or more". */
const countedMax = 1_000
/** Jobs that are read to find the oldest readable one. */
const lookedAtMax = 20
const quarantined = { standings: ['quarantined'] } as const

/** Keeps one incident open while jobs are quarantined: only a person can release them, so a person must know. */
export function quarantineLoop({ ledger, installation, log, metrics }: QuarantineDeps): Loop {
  const incident = { kind: 'jobs-quarantined', installation, scope: 'runners', key: 'quarantine' } as const
  /** The reason of the open incident; null: none is open; undefined: not known yet. */
  let reported: string | null | undefined

  /** A job that cannot be read hides no other. */
  async function describe(count: number): Promise<string> {
    const { rows } = await ledger.jobs({ ...quarantined, order: 'attention', limit: lookedAtMax })
    const many = count >= countedMax ? `${countedMax} jobs or more` : `${count} job${count === 1 ? '' : 's'}`
    const [oldest] = rows
    if (oldest === undefined) return many
    return `${many}, the oldest job ${oldest.id} of ${oldest.repository}: ${oldest.quarantine}`
  }

  async function pass(): Promise<Outcome> {
    const count = await ledger.countJobs(quarantined, countedMax)
    const reason = count === 0 ? null : await describe(count)
    if (reason === reported) return done
    reported = undefined // a write without an answer may have been applied
    if (reason === null) await ledger.liftIncident(incident)
    else if ((await ledger.raiseIncident({ ...incident, reason }, 0)) === 'opened') {
      metrics.count('holdfast_incidents_total', { kind: incident.kind })
      log.error({ incident: incident.kind, reason }, 'jobs are quarantined: a person should look')
    }
    reported = reason
    return done
  }

  return { name: 'quarantine', resyncMs, wokenBy: () => false, pass }
}
