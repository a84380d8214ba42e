import { durationText } from '../../../format.ts'
import type { RunnerFact } from '../../../snapshot/index.ts'
import type { Finding } from '../../finding.ts'
import { evidenceOf, subjectOf } from '../../judging.ts'
import { deadPodGraceMs, finalizerGraceMs } from '../bounds.ts'
import { found, logged, person, type Ruling, read } from '../found.ts'
import { forgeEvidence, occupationOf } from '../occupation.ts'
import { podStanding } from '../pod-end.ts'
import type { FleetView, SetView } from '../view.ts'

/** Runners whose deletion hangs in a finalizer; while a job runs in them, that is right. */
export function judgeFinalizers(fleet: FleetView): Ruling {
  return {
    findings: fleet.sets.flatMap((view) =>
      view.runners.flatMap((runner) => {
        if (runner.deletedAt === null || runner.finalizers.length === 0) return []
        return judgeRunner(runner, fleet.now - runner.deletedAt, view, fleet) ?? []
      }),
    ),
  }
}

function judgeRunner(runner: RunnerFact, waitsMs: number, view: SetView, fleet: FleetView): Finding | null {
  const pod = podStanding(runner, fleet)
  const refused = fleet.logs.trace('removal-failed', runner) !== null
  if (pod === 'failed' || pod === 'gone' || pod === 'ended') {
    const isAsked = fleet.logs.trace('job-still-running', runner) !== null
    if (runner.job !== null && (isAsked || waitsMs >= deadPodGraceMs)) return jobLeft(runner, waitsMs, fleet)
    return refused || waitsMs >= finalizerGraceMs ? stuck(runner, waitsMs, fleet) : null
  }
  if (runner.job !== null) return null
  // A pod that lives may have a job that only the forge knows of: its word is needed.
  const isLate = waitsMs >= finalizerGraceMs && occupationOf(runner, view, fleet) === 'free'
  return refused || isLate ? stuck(runner, waitsMs, fleet) : null
}

/** The forge still has a job for it, and nothing is left that runs it. */
function jobLeft(runner: RunnerFact, waitsMs: number, fleet: FleetView): Finding {
  return found({
    class: 'finalizer-stuck',
    severity: 'warning',
    subject: subjectOf('runner', runner),
    confidence: 'proven',
    summary: `${runner.name} was deleted ${durationText(waitsMs)} ago and waits for a job that nothing runs any more.`,
    evidence: [
      evidenceOf(
        fleet.snapshot.cluster.pods,
        `its pod: ${podStanding(runner, fleet)}; finalizers: ${runner.finalizers.join(', ')}`,
      ),
      forgeEvidence([runner], fleet),
      logged(fleet.logs.trace('job-still-running', runner)),
    ],
    next: read(
      'Look again when the forge has given the job up; cancelling the job there is quicker. ARC then removes the runner itself.',
    ),
  })
}

function stuck(runner: RunnerFact, waitsMs: number, fleet: FleetView): Finding {
  const refused = fleet.logs.trace('removal-failed', runner)
  return found({
    class: 'finalizer-stuck',
    severity: 'warning',
    subject: subjectOf('runner', runner),
    confidence: refused === null ? 'likely' : 'proven',
    summary:
      refused === null
        ? `${runner.name} was deleted ${durationText(waitsMs)} ago and is still there.`
        : `${runner.name} cannot leave: the forge refuses ARC’s request to remove it.`,
    evidence: [
      evidenceOf(
        fleet.snapshot.cluster.runners,
        `deleted ${durationText(waitsMs)} ago; finalizers: ${runner.finalizers.join(', ')}`,
      ),
      forgeEvidence([runner], fleet),
      logged(refused),
    ],
    next: person(
      'Repair the credential with which ARC removes runners, if the forge refuses it: ARC then removes the runner itself.',
    ),
  })
}
