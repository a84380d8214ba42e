import {
  type CommonCause,
  causeKey,
  endsMax,
  isOfCause,
  type RunnerFactors,
  unexpectedClasses,
} from '../../../domain/death/index.ts'
import { deathIncidents, type Incident, incidentTable } from '../../../domain/incident/index.ts'
import { done, eachApart, type Loop, type Outcome } from '../../../loop/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { DeathLedger, EndRow, IncidentLedger, LedgerClock, RunnerReader } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import type { RunnerHost } from '../../../ports/runner-host.ts'
import type { RecordEvent } from '../../record-event.ts'
import { dayMs, isOpen, judge } from './judge.ts'

export interface CommonCausesDeps {
  readonly ledger: LedgerClock & RunnerReader & DeathLedger & IncidentLedger
  readonly host: Pick<RunnerHost, 'list'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly metrics: Metrics
  readonly recordEvent: RecordEvent
  readonly installation: string
}

const resyncMs = 60_000
/** Live runners beyond this number change no share that matters. */
const runnersMax = 10_000
/** Closed incidents: a cause that a person closed is not opened again for the same deaths. */
const closedMax = 200
const ofDeaths: ReadonlySet<string> = new Set(Object.values(deathIncidents))
/** Pools that get an Event about one cause; the incident has the rest. */
const poolEventsMax = 10

/**
 * Finds what the deaths of the last hour and day have in common, and keeps an incident for each cause: opened once, updated
 * when there are more deaths, closed when there were none for a while.
 */
export function commonCausesLoop(deps: CommonCausesDeps): Loop {
  const { ledger, installation } = deps
  /** The newest dead runner at the last full pass. */
  let lookedAt: number | undefined

  async function pass(): Promise<Outcome> {
    const [newest] = await ledger.ends({ withinMs: dayMs, classes: unexpectedClasses, limit: 1 })
    // Other incidents of this scope (a full disk, a terminating namespace) are closed by the loops that raised them.
    const incidents = (await ledger.incidents(closedMax)).filter(
      (row) => ofDeaths.has(row.kind) && row.installation === installation,
    )
    // Most minutes have no death, and need no read of ten thousand rows.
    if (newest?.runnerId === lookedAt && !incidents.some(isOpen)) return done
    await look(incidents, deps)
    lookedAt = newest?.runnerId
    return done
  }

  return { name: 'common-causes', resyncMs, wokenBy: () => false, pass }
}

async function look(incidents: readonly Incident[], deps: CommonCausesDeps): Promise<void> {
  const ends = await deps.ledger.ends({ withinMs: dayMs, limit: endsMax })
  const runners = await placesOf(deps)
  const { raise, lift } = judge({ ends, incidents, runners, now: await deps.ledger.now() })
  const steps = [
    ...raise.map((cause) => ({ key: causeKey(cause), work: () => reportCause(cause, ends, deps) })),
    ...lift.map((incident) => ({ key: incident.key, work: () => close(incident, deps) })),
  ]
  await eachApart(
    steps,
    ({ work }) => work(),
    ({ key }, error) =>
      deps.log.warn({ cause: key, err: error }, 'a common cause of deaths could not be recorded'),
  )
}

/** Reads pool and repository from the ledger, and the node from the host, which alone knows it. */
async function placesOf({ ledger, host }: CommonCausesDeps): Promise<readonly RunnerFactors[]> {
  const nodes = new Map((await host.list()).map(({ name, node }) => [name, node]))
  const alive = await ledger.runnersAlive(runnersMax)
  return alive.map(({ name, pool, repository }) => ({
    pool,
    repository,
    image: null,
    node: nodes.get(name) ?? null,
  }))
}

async function reportCause(
  cause: CommonCause,
  ends: readonly EndRow[],
  { ledger, log, metrics, recordEvent, clock, installation }: CommonCausesDeps,
): Promise<void> {
  const kind = deathIncidents[cause.factor]
  const [key, reason] = [causeKey(cause), cause.words]
  const raised = await ledger.raiseIncident({ kind, installation, scope: 'runners', key, reason }, 0)
  const fields = { incident: kind, cause: key, reason } // a field named key is masked in logs
  if (raised === 'known') return log.info(fields, 'more runners ended alike')
  const { title, todo } = incidentTable[kind]
  metrics.count('holdfast_incidents_total', { kind })
  log.error({ ...fields, title, todo }, 'runners end alike: a person should look')
  for (const name of poolsOf(cause, ends)) {
    const message = `${reason}. ${todo}`
    recordEvent({
      about: { kind: 'pool', name },
      type: 'Warning',
      reason: 'DeathsAlike',
      message,
      at: clock.now(),
    })
  }
}

function poolsOf(cause: CommonCause, ends: readonly EndRow[]): readonly string[] {
  const pools = new Set(ends.filter((end) => isOfCause(cause, end)).map(({ pool }) => pool))
  return [...pools].slice(0, poolEventsMax)
}

async function close(
  { kind, scope, key, reason }: Incident,
  { ledger, log, installation }: CommonCausesDeps,
): Promise<void> {
  if ((await ledger.liftIncident({ kind, installation, scope, key })) !== 'lifted') return
  log.info({ incident: kind, cause: key, reason }, 'no more runners ended alike for a while')
}
