import { durationText } from '../../../format.ts'
import { isWhole, type RunnerFact } from '../../../snapshot/index.ts'
import type { Finding } from '../../finding.ts'
import { evidenceOf, subjectOf } from '../../judging.ts'
import { offlineGraceMs } from '../bounds.ts'
import { found, person, type Ruling, removable, removal } from '../found.ts'
import { forgeRunnerOf, occupationOf } from '../occupation.ts'
import { podStanding } from '../pod-end.ts'
import { isReapable } from '../reapable.ts'
import { ageMs, type FleetView, type SetView } from '../view.ts'
import { leakedOf } from './idle-leak.ts'

/** Runners that registered for one job: gone with it, or offline without one. */
export function judgeTraps(fleet: FleetView): Ruling {
  return {
    findings: fleet.sets.flatMap((view) =>
      view.runners.flatMap((runner) => [
        ...jobAtRisk(runner, fleet),
        ...offlineWithoutJob(runner, view, fleet),
      ]),
    ),
  }
}

function jobAtRisk(runner: RunnerFact, fleet: FleetView): readonly Finding[] {
  const atForge = forgeRunnerOf(runner, fleet)
  if (atForge === undefined || !atForge.isBusy) return []
  const pod = podStanding(runner, fleet)
  const isLost = pod === 'failed' || (pod === 'gone' && runner.failures.length > 0)
  if (!isLost && atForge.isOnline) return []
  const { cluster, forge } = fleet.snapshot
  const job = runner.job?.name ?? runner.job?.requestId ?? 'unknown to the cluster'
  return [
    found({
      class: 'assigned-job-at-risk',
      severity: 'critical',
      subject: subjectOf('runner', runner),
      confidence: 'proven',
      summary: `The job of ${runner.name} is lost: nothing runs it, and the forge still counts on it.`,
      evidence: [
        evidenceOf(
          cluster.pods,
          `its pod: ${pod}; job ${job}, repository ${runner.job?.repository ?? 'unknown'}`,
        ),
        evidenceOf(forge.runners, `the forge calls it busy and ${atForge.isOnline ? 'online' : 'offline'}`),
      ],
      next: person('Cancel the job at the forge and run it again, or wait until the forge gives it up.'),
    }),
  ]
}

/** A runner is registered before its pod runs, and offline between two failures: neither is a trap. */
function offlineWithoutJob(runner: RunnerFact, view: SetView, fleet: FleetView): readonly Finding[] {
  const atForge = forgeRunnerOf(runner, fleet)
  if (atForge === undefined || atForge.isOnline || occupationOf(runner, view, fleet) !== 'free') return []
  const isUp = runner.phase === 'Running' && runner.failures.length === 0 && runner.deletedAt === null
  if (!isUp || ageMs(runner, fleet.now) < offlineGraceMs) return []
  const { cluster, forge } = fleet.snapshot
  return [
    found({
      class: 'offline-no-job-cleanup-candidate',
      severity: 'warning',
      subject: subjectOf('runner', runner),
      confidence: 'proven',
      summary: `${runner.name} is offline at the forge, has no job, and holds a slot.`,
      evidence: [
        evidenceOf(forge.runners, 'offline and not busy; no job in progress names it'),
        evidenceOf(
          cluster.runners,
          `no job, ${durationText(ageMs(runner, fleet.now))} old; its pod: ${podStanding(runner, fleet)}`,
        ),
      ],
      next: isTakenByReaper(runner, view, fleet) ? removable('It may go.') : removal('It may go.'),
    }),
  ]
}

/** The reaper takes runners above the wanted number alone, and none whose container lives while the forge calls it offline. */
function isTakenByReaper(runner: RunnerFact, view: SetView, fleet: FleetView): boolean {
  const { newest } = view
  if (newest === null || newest.deletedAt !== null || !isWhole(fleet.snapshot.cluster.runnerSets))
    return false
  return leakedOf(view, newest, fleet).leaked.includes(runner) && isReapable(runner, fleet)
}
