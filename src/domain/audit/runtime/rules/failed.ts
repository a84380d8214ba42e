import type { RunnerFact } from '../../../snapshot/index.ts'
import type { Finding } from '../../finding.ts'
import { evidenceOf, subjectOf } from '../../judging.ts'
import { counted, found, namesOf, person, type Ruling } from '../found.ts'
import type { FleetView, SetView } from '../view.ts'

/** Reasons that are shown of a set's failed runners. */
const reasonsMax = 3

/** Runners whose pods the API server refused: each holds its slot until its object is deleted. */
export function judgeFailedRunners(fleet: FleetView): Ruling {
  return { findings: fleet.sets.flatMap((view) => judgeSet(view, fleet) ?? []) }
}

function judgeSet({ set, holders }: SetView, fleet: FleetView): Finding | null {
  const failed = holders.filter(({ phase }) => phase === 'Failed')
  if (failed.length === 0) return null
  const { runners } = fleet.snapshot.cluster
  const most = set.maxRunners === null ? 'no maximum' : `maximum ${set.maxRunners}`
  return found({
    class: 'failed-runners-hold-slots',
    severity: set.maxRunners !== null && failed.length >= set.maxRunners ? 'critical' : 'warning',
    subject: subjectOf('scale-set', set),
    confidence: 'proven',
    summary: `${set.name} has ${counted(failed.length, 'failed runner')} in its slots (${most}), which ARC never tries again.`,
    evidence: [
      evidenceOf(runners, namesOf(failed)),
      ...reasonsOf(failed).map((reason) => evidenceOf(runners, reason)),
    ],
    next: person(
      'Put the reason right first. Then delete these EphemeralRunners: nothing else frees their slots.',
    ),
  })
}

function reasonsOf(failed: readonly RunnerFact[]): readonly string[] {
  const reasons = failed.map(({ reason, message, name }) =>
    `${reason ?? 'no reason'}: ${message ?? ''}`.replaceAll(name, '<runner>'),
  )
  return [...new Set(reasons)].slice(0, reasonsMax)
}
