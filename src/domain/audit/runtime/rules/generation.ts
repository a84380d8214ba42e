import { isWhole, type RunnerFact } from '../../../snapshot/index.ts'
import type { Finding, NextAction } from '../../finding.ts'
import { evidenceOf, subjectOf } from '../../judging.ts'
import type { LogTrace } from '../arc-logs.ts'
import { staleGraceMs } from '../bounds.ts'
import { counted, found, logged, namesOf, type Ruling, read } from '../found.ts'
import { differsFromSpec, olderGenerations } from '../generation.ts'
import { forgeEvidence, freeOf, notBusy, withoutJob } from '../occupation.ts'
import { reaping } from '../reapable.ts'
import { ageMs, type FleetView, type SetView } from '../view.ts'

/** Runners of an old generation that no source calls busy. */
export function judgeGenerations(fleet: FleetView): Ruling {
  return { findings: fleet.sets.flatMap((view) => judgeSet(view, fleet) ?? []) }
}

function judgeSet(view: SetView, fleet: FleetView): Finding | null {
  const stale = withoutJob(staleRunners(view, fleet))
  if (stale.length === 0) return null
  const { set, newest } = view
  const idle = notBusy(stale, view, fleet)
  const summary =
    idle.length === 0
      ? `An old generation of ${set.name} keeps ${counted(stale.length, 'runner')} with jobs that only the forge knows of.`
      : `An old generation of ${set.name} keeps ${counted(idle.length, 'runner')} without a job: the next job gets the old spec.`
  return found({
    class: 'stale-generation',
    severity: idle.length === 0 ? 'notice' : 'warning',
    subject: subjectOf('scale-set', set),
    confidence: freeOf(idle, view, fleet).length > 0 ? 'proven' : 'likely',
    summary,
    evidence: [
      evidenceOf(
        fleet.snapshot.cluster.runnerSets,
        `newest generation: ${newest?.name ?? 'not known'}; of older ones, not known to be busy: ${namesOf(idle)}`,
      ),
      logged(refusal(view, fleet)),
      forgeEvidence(stale, fleet),
    ],
    next: nextAction(view, idle, fleet),
  })
}

function nextAction(view: SetView, idle: readonly RunnerFact[], fleet: FleetView): NextAction {
  if (refusal(view, fleet) !== null) {
    return read(
      'Removal needs the forge, and it refuses ARC: read the credential first.',
      'holdfast audit credentials',
    )
  }
  const free = freeOf(idle, view, fleet)
  if (free.length === 0)
    return read('Ask the forge which of these runners are busy.', 'holdfast audit runtime')
  // Only with the log about every generation is it known that the forge does not refuse the removal.
  const { logs, runnerSets } = fleet.snapshot.cluster
  if (!isWhole(logs) || !isWhole(runnerSets)) {
    return read('Look again with the log of ARC’s controller and all generations.', 'holdfast audit runtime')
  }
  return reaping('The free runners of old generations may go.', free, fleet)
}

function refusal({ generations }: SetView, { logs }: FleetView): LogTrace | null {
  return generations.map((each) => logs.trace('removal-failed', each)).find((each) => each !== null) ?? null
}

/**
 * Generations are objects up to 0.14.2. Later one object is patched, and a runner is stale where it differs from what its
 * set declares; while the listener is away for that, it is a rollover that waits, and another class.
 */
function staleRunners(view: SetView, fleet: FleetView): readonly RunnerFact[] {
  const { set, generations, holders, listeners } = view
  if (set.isSingleSetLayout) {
    const isServed = listeners.some((each) => 'listener' in each)
    return isServed
      ? holders.filter(
          (runner) => differsFromSpec(runner.images, set) && ageMs(runner, fleet.now) >= staleGraceMs,
        )
      : []
  }
  const stale = olderGenerations(set, generations, fleet.now)
    .filter(
      ({ generation, hasStayed }) => hasStayed || fleet.logs.trace('removal-failed', generation) !== null,
    )
    .map(({ generation }) => generation.uid)
  const uids = new Set(stale)
  return holders.filter(({ runnerSet }) => runnerSet !== null && uids.has(runnerSet.uid))
}
