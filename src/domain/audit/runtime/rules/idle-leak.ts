import { durationText } from '../../../format.ts'
import { isWhole, type RunnerFact, type RunnerSetFact } from '../../../snapshot/index.ts'
import type { Finding } from '../../finding.ts'
import { evidenceOf, subjectOf } from '../../judging.ts'
import { idleMinAgeMs } from '../bounds.ts'
import { counted, found, namesOf, type Ruling, read } from '../found.ts'
import { forgeEvidence, freeOf, notBusy, withoutJob } from '../occupation.ts'
import { reaping } from '../reapable.ts'
import { ageMs, type FleetView, type SetView } from '../view.ts'

/** Idle runners above the wanted number, of the newest generation; those of older ones are stale. */
export function judgeIdleLeaks(fleet: FleetView): Ruling {
  // With a generation unread, one of the others could be taken for the newest.
  if (!isWhole(fleet.snapshot.cluster.runnerSets)) return { findings: [] }
  return { findings: fleet.sets.flatMap((view) => judgeSet(view, fleet) ?? []) }
}

function judgeSet(view: SetView, fleet: FleetView): Finding | null {
  const { set, newest } = view
  if (newest === null || newest.deletedAt !== null) return null
  const { current, leaked } = leakedOf(view, newest, fleet)
  if (leaked.length === 0) return null
  const idle = notBusy(leaked, view, fleet)
  const free = freeOf(idle, view, fleet)
  const youngest = Math.min(...leaked.map((runner) => ageMs(runner, fleet.now)))
  return found({
    class: 'idle-leak',
    severity: idle.length === 0 ? 'notice' : 'warning',
    subject: subjectOf('scale-set', set),
    confidence: free.length > 0 ? 'proven' : 'likely',
    summary: `${set.name} keeps ${counted(leaked.length, 'runner')} beyond the demand: ${current} live, ${newest.replicas} wanted.`,
    evidence: [
      evidenceOf(
        fleet.snapshot.cluster.runners,
        `no job in their objects, each at least ${durationText(youngest)} old; not known to be busy: ${namesOf(idle)}`,
      ),
      forgeEvidence(leaked, fleet),
    ],
    next:
      free.length > 0
        ? reaping('The free runners above the wanted number may go.', free, fleet)
        : read('Ask the forge whether these runners are busy.', 'holdfast audit runtime'),
  })
}

/** Runners of a set above the wanted number: the oldest first, and never more than there are too many. */
export function leakedOf(
  view: SetView,
  newest: RunnerSetFact,
  fleet: FleetView,
): { readonly current: number; readonly leaked: readonly RunnerFact[] } {
  const present = view.holders.filter(({ runnerSet }) => runnerSet?.uid === newest.uid)
  const leaked = withoutJob(present)
    .filter((runner) => runner.phase === 'Running' && runner.failures.length === 0)
    .filter((runner) => ageMs(runner, fleet.now) >= idleMinAgeMs)
    .sort((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0))
    .slice(0, Math.max(0, present.length - newest.replicas))
  return { current: present.length, leaked }
}
