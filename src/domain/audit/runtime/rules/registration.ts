import { durationText } from '../../../format.ts'
import { isWhole } from '../../../snapshot/index.ts'
import type { Finding } from '../../finding.ts'
import { evidenceOf, subjectOf } from '../../judging.ts'
import { startGraceMs } from '../bounds.ts'
import { found, logged, type Ruling, read } from '../found.ts'
import { ageMs, type FleetView, type SetView, saysOutdated } from '../view.ts'

/** Sets that the forge has no number for. */
export function judgeRegistration(fleet: FleetView): Ruling {
  return { findings: fleet.sets.flatMap((view) => judgeSet(view, fleet) ?? []) }
}

function judgeSet(view: SetView, fleet: FleetView): Finding | null {
  const { set } = view
  const { scaleSets, runnerSets, runners } = fleet.snapshot.cluster
  // An outdated set loses its number: that is another class, and the objects that show it must all be known.
  if (set.forgeScaleSetId !== null || saysOutdated(view) || !isWhole(runnerSets) || !isWhole(runners))
    return null
  const refused = fleet.logs.trace('registration-failed', set)
  const age = ageMs(set, fleet.now)
  if (refused === null && age < startGraceMs) return null
  return found({
    class: 'scale-set-never-registered',
    severity: 'critical',
    subject: subjectOf('scale-set', set),
    confidence: refused === null ? 'likely' : 'proven',
    summary: `${set.name} is not registered at the forge: no job can reach it.`,
    evidence: [
      evidenceOf(scaleSets, `no runner-scale-set-id, ${durationText(age)} after its creation`),
      logged(refused),
    ],
    next: read('Read the credential that the set uses, and its budget.', 'holdfast audit credentials'),
  })
}
