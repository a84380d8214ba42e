import { durationText } from '../../../format.ts'
import { isWhole } from '../../../snapshot/index.ts'
import type { Finding } from '../../finding.ts'
import { evidenceOf, subjectOf } from '../../judging.ts'
import { startGraceMs } from '../bounds.ts'
import { counted, found, logged, type Ruling, read } from '../found.ts'
import { heldRollover } from '../held-rollover.ts'
import { type ListenerStanding, pullProblem } from '../listener.ts'
import { occupationOf } from '../occupation.ts'
import { ageMs, type FleetView, hasNoListener, type SetView, saysOutdated } from '../view.ts'

/** Listeners that are missing, that end again and again, and that do not start. */
export function judgeListeners(fleet: FleetView): Ruling {
  return {
    findings: fleet.sets.flatMap((view) => [
      ...view.listeners.flatMap((listener) => judgeListener(view, listener, fleet) ?? []),
      ...(isMissing(view, fleet) ? [missing(view, fleet, 'it has no listener')] : []),
    ]),
  }
}

function judgeListener(view: SetView, listener: ListenerStanding, fleet: FleetView): Finding | null {
  if (listener.kind === 'looping') return crashLoop(view, listener, fleet)
  if (listener.kind === 'not-ready') return notReady(view, listener, fleet)
  if (listener.kind === 'pod-missing') return missing(view, fleet, 'its listener has no pod')
  return null
}

type Unhealthy = Extract<ListenerStanding, { readonly kind: 'looping' | 'not-ready' }>

function crashLoop({ set }: SetView, { listener, pod, ends, error }: Unhealthy, fleet: FleetView): Finding {
  const end = pod?.statuses.find(({ state }) => state?.kind === 'terminated')?.state ?? null
  const podAge = pod === null ? 'absent' : `${durationText(ageMs(pod, fleet.now))} old`
  const { pods } = fleet.snapshot.cluster
  return found({
    class: 'listener-crash-loop',
    severity: 'critical',
    subject: subjectOf('scale-set', set),
    confidence: ends === null ? 'likely' : 'proven',
    summary: `The listener of ${set.name} ends and is made again: no new job reaches this set.`,
    evidence: [
      evidenceOf(
        pods,
        `listener ${listener.name}: ${durationText(ageMs(listener, fleet.now))} old, its pod ${podAge}`,
      ),
      end === null
        ? null
        : evidenceOf(pods, `its container ended with exit code ${end.exitCode}`, end.finishedAt),
      logged(ends),
      logged(error),
    ],
    next: read('Read the credential that the listener uses, and its budget.', 'holdfast audit credentials'),
  })
}

function notReady({ set }: SetView, { listener, pod, ends, error }: Unhealthy, fleet: FleetView): Finding {
  const pull = pod === null ? null : pullProblem(pod)
  const place = pod?.node === null ? 'no node was found for it' : `on ${pod?.node}`
  const text = `pod ${listener.name}: ${pod?.phase} for ${durationText(ageMs(pod ?? listener, fleet.now))}, ${pull ?? place}`
  return found({
    class: 'listener-not-ready',
    severity: 'critical',
    subject: subjectOf('scale-set', set),
    confidence: 'proven',
    summary: `The listener of ${set.name} does not start: no new job reaches this set.`,
    evidence: [evidenceOf(fleet.snapshot.cluster.pods, text), logged(ends), logged(error)],
    next:
      pull === null
        ? read('Read why its pod is pending.', 'holdfast audit pending')
        : read('Compare the pull secrets.', 'holdfast audit pull-secrets'),
  })
}

/** ARC makes a listener within seconds, except while it rolls a set over, or takes an outdated one down. */
function isMissing(view: SetView, fleet: FleetView): boolean {
  const { set, newest, holders } = view
  const { runnerSets, runners } = fleet.snapshot.cluster
  if (!hasNoListener(view) || set.forgeScaleSetId === null) return false
  if (!isWhole(runnerSets) || !isWhole(runners) || saysOutdated(view)) return false
  if (ageMs(newest ?? set, fleet.now) < startGraceMs) return false
  const isEnding = newest?.replicas === 0 && holders.length > 0
  return !isEnding && heldRollover(view, fleet) === null
}

function missing(view: SetView, fleet: FleetView, what: string): Finding {
  const { set, holders } = view
  const { listeners, runners } = fleet.snapshot.cluster
  const busy = holders.filter((runner) => occupationOf(runner, view, fleet) === 'busy').length
  return found({
    class: 'listener-missing',
    severity: 'critical',
    subject: subjectOf('scale-set', set),
    confidence: 'proven',
    summary: `No new job reaches ${set.name}: ${what}.`,
    evidence: [
      evidenceOf(
        listeners,
        `${what}; the set is ${durationText(ageMs(set, fleet.now))} old, phase ${set.phase ?? 'unknown'}`,
      ),
      evidenceOf(runners, `${counted(holders.length, 'runner')}, ${busy} known to be busy`),
    ],
    next: read('Read whether ARC’s controller runs, and its log about this set.'),
  })
}
