import { done, type Loop, type Outcome } from '../../../loop/index.ts'
import type { Ledger } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'

export interface QuarantineDeps {
  readonly ledger: Pick<Ledger, 'jobs' | 'countJobs' | 'raiseIncident' | 'liftIncident'>
  readonly installation: string
  readonly log: Log
  readonly metrics: Metrics
}

const sweepMs = 30_000
/** More are told as "or more". */
const countedMax = 1_000
/** For the oldest that can be read. */
const lookedAtMax = 20
const quarantined = { standings: ['quarantined'] } as const

/** Keeps one incident while jobs are quarantined: only a person lets them go on, so a person must hear of it. */
export function quarantineLoop({ ledger, installation, log, metrics }: QuarantineDeps): Loop {
  const incident = { kind: 'jobs-quarantined', installation, scope: 'runners', key: 'quarantine' } as const
  /** The reason that the incident stands with; null: none is open; undefined: not known yet. */
  let told: string | null | undefined

  /** One that cannot be read hides no other. */
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
    if (reason === told) return done
    told = undefined // what is not answered may have been written all the same
    if (reason === null) await ledger.liftIncident(incident)
    else if ((await ledger.raiseIncident({ ...incident, reason }, 0)) === 'opened') {
      metrics.count('holdfast_incidents_total', { kind: incident.kind })
      log.error({ incident: incident.kind, reason }, 'jobs are quarantined: a person should look')
    }
    told = reason
    return done
  }

  return { name: 'quarantine', sweepMs, wokenBy: () => false, pass }
}
