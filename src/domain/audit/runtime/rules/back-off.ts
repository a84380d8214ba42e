import type { ObjectRef, RunnerFact } from '../../../snapshot/index.ts'
import type { Finding, Severity } from '../../finding.ts'
import { keyOf } from '../../joins.ts'
import { evidenceOf, subjectOf } from '../../judging.ts'
import { counted, found, logged, namesOf, type Ruling, read } from '../found.ts'
import type { FleetView, SetView } from '../view.ts'

/** A single failure may be an eviction; a third is no accident. */
const repeatedFailures = 3

/** Runners that fail again and again; after the sixth failure only the log remembers them. */
export function judgeFailingRunners(fleet: FleetView): Ruling {
  const givenUp = givenUpByGeneration(fleet)
  return {
    findings: fleet.sets.flatMap((view) => {
      const gone = view.generations.flatMap((generation) => givenUp.get(keyOf(generation)) ?? [])
      return judgeSet(view, gone, fleet) ?? []
    }),
  }
}

/** ARC names a runner after its generation. */
function givenUpByGeneration({ logs }: FleetView): ReadonlyMap<string, readonly ObjectRef[]> {
  return Map.groupBy(logs.about('runner-given-up'), ({ namespace, name }) =>
    keyOf({ namespace, name: name.replace(/-runner-[a-z0-9]+$/, '') }),
  )
}

function judgeSet({ set, holders }: SetView, gone: readonly ObjectRef[], fleet: FleetView): Finding | null {
  const failing = holders.filter(
    ({ phase, isReady, failures }) => phase === 'Running' && !isReady && failures.length > 0,
  )
  const [firstGone] = gone
  if (failing.length === 0 && firstGone === undefined) return null
  const most = Math.max(0, ...failing.map(({ failures }) => failures.length))
  const counts = [
    ...(failing.length === 0 ? [] : [`${counted(failing.length, 'runner')} in back-off`]),
    ...(gone.length === 0 ? [] : [`${counted(gone.length, 'runner')} given up after the sixth failure`]),
  ]
  return found({
    class: 'runners-in-failure-back-off',
    severity: severityOf(failing, holders, most, gone),
    subject: subjectOf('scale-set', set),
    confidence: 'proven',
    summary: `Runners of ${set.name} fail again and again: ${counts.join(', ')}.`,
    evidence: [
      failing.length === 0
        ? null
        : evidenceOf(
            fleet.snapshot.cluster.runners,
            `phase Running and not ready, up to ${counted(most, 'failure')}: ${namesOf(failing)}`,
          ),
      firstGone === undefined ? null : logged(fleet.logs.trace('runner-given-up', firstGone)),
    ],
    next: read(
      'Read how the runner’s container ends: its log and exit code go with each pod.',
      `holdfast triage ${failing[0]?.name ?? firstGone?.name}`,
    ),
  })
}

function severityOf(
  failing: readonly RunnerFact[],
  holders: readonly RunnerFact[],
  most: number,
  gone: readonly ObjectRef[],
): Severity {
  if (failing.length > 0 && failing.length === holders.length && most >= repeatedFailures) return 'critical'
  return most >= repeatedFailures || gone.length > 0 ? 'warning' : 'notice'
}
