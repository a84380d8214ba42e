import {
  type CommonCause,
  causeKey,
  ENDS_MAX,
  isOf,
  type Place,
  unexpectedClasses,
} from '../../../domain/death/index.ts'
import { deathIncidents, type Incident, incidentTable } from '../../../domain/incident/index.ts'
import { done, eachApart, type Loop, type Outcome } from '../../../loop/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { EndRow, Ledger } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import type { RunnerHost } from '../../../ports/runner-host.ts'
import type { Tell } from '../../tell.ts'
import { dayMs, isOpen, judge } from './judge.ts'

export interface CommonCausesDeps {
  readonly ledger: Pick<
    Ledger,
    'now' | 'ends' | 'runnersAlive' | 'incidents' | 'raiseIncident' | 'liftIncident'
  >
  readonly host: Pick<RunnerHost, 'list'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly metrics: Metrics
  readonly tell: Tell
  readonly installation: string
}

const sweepMs = 60_000
/** Live runners beyond these change no share that matters. */
const runnersMax = 10_000
/** Incidents that are over: what a person closed is not opened again for the same ends. */
const closedMax = 200
const ofDeaths: ReadonlySet<string> = new Set(Object.values(deathIncidents))
/** Pools on which one cause is told; the incident has the rest. */
const poolsToldMax = 10

/**
 * Looks for what the ends of the last hour and day have in common, and keeps an incident for each: opened once, told
 * anew when there are more, closed when there were none for a while.
 */
export function commonCausesLoop(deps: CommonCausesDeps): Loop {
  const { ledger, installation } = deps
  /** The newest runner that died when all was looked at last. */
  let lookedAt: number | undefined

  async function pass(): Promise<Outcome> {
    const [newest] = await ledger.ends({ withinMs: dayMs, classes: unexpectedClasses, limit: 1 })
    // Others of the same scope (a full disk, a namespace that goes) are over when those who raised them say so.
    const incidents = (await ledger.incidents(closedMax)).filter(
      (row) => ofDeaths.has(row.kind) && row.installation === installation,
    )
    // Most minutes nobody died, and ten thousand rows need not be read for that.
    if (newest?.runnerId === lookedAt && !incidents.some(isOpen)) return done
    await look(incidents, deps)
    lookedAt = newest?.runnerId
    return done
  }

  return { name: 'common-causes', sweepMs, wokenBy: () => false, pass }
}

async function look(incidents: readonly Incident[], deps: CommonCausesDeps): Promise<void> {
  const ends = await deps.ledger.ends({ withinMs: dayMs, limit: ENDS_MAX })
  const runners = await placesOf(deps)
  const { raise, lift } = judge({ ends, incidents, runners, now: await deps.ledger.now() })
  const steps = [
    ...raise.map((cause) => ({ key: causeKey(cause), work: () => tellCause(cause, ends, deps) })),
    ...lift.map((incident) => ({ key: incident.key, work: () => close(incident, deps) })),
  ]
  await eachApart(
    steps,
    ({ work }) => work(),
    ({ key }, error) =>
      deps.log.warn({ cause: key, err: error }, 'what ends have in common could not be noted'),
  )
}

/** Pool and repository from the ledger, the node from the host, which alone knows it. */
async function placesOf({ ledger, host }: CommonCausesDeps): Promise<readonly Place[]> {
  const nodes = new Map((await host.list()).map(({ name, node }) => [name, node]))
  const alive = await ledger.runnersAlive(runnersMax)
  return alive.map(({ name, pool, repository }) => ({
    ...{ pool, repository, image: null },
    node: nodes.get(name) ?? null,
  }))
}

async function tellCause(
  cause: CommonCause,
  ends: readonly EndRow[],
  { ledger, log, metrics, tell, clock, installation }: CommonCausesDeps,
): Promise<void> {
  const kind = deathIncidents[cause.factor]
  const [key, reason] = [causeKey(cause), cause.words]
  const raised = await ledger.raiseIncident({ kind, installation, scope: 'runners', key, reason }, 0)
  const fields = { incident: kind, cause: key, reason } // what is called a key is masked in logs
  if (raised === 'known') return log.info(fields, 'more runners ended alike')
  const { title, todo } = incidentTable[kind]
  metrics.count('holdfast_incidents_total', { kind })
  log.error({ ...fields, title, todo }, 'runners end alike: a person should look')
  for (const name of poolsOf(cause, ends)) {
    const message = `${reason}. ${todo}`
    tell({ about: { kind: 'pool', name }, type: 'Warning', reason: 'DeathsAlike', message, at: clock.now() })
  }
}

function poolsOf(cause: CommonCause, ends: readonly EndRow[]): readonly string[] {
  const pools = new Set(ends.filter((end) => isOf(cause, end)).map(({ pool }) => pool))
  return [...pools].slice(0, poolsToldMax)
}

async function close(
  { kind, scope, key, reason }: Incident,
  { ledger, log, installation }: CommonCausesDeps,
): Promise<void> {
  if ((await ledger.liftIncident({ kind, installation, scope, key })) !== 'lifted') return
  log.info({ incident: kind, cause: key, reason }, 'no more runners ended alike for a while')
}
