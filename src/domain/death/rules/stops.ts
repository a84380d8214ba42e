import { deleterOf } from '../deleter.ts'
import type { Known } from '../known.ts'
import { type Finding, likely, proven } from '../verdict.ts'
import { rule } from './rule.ts'

/** Somebody wanted it to go. */
export const stopRules = [
  rule({
    name: 'we asked it to stop',
    gives: ['terminated'],
    means: 'Holdfast stopped the runner, for the reason that is given.',
    needs: 'The order to stop in the ledger or at the host, and an end that was not exit code 0.',
    mustNotConclude: 'That its job was lost: only runners without one are stopped, but by an approved plan.',
    nextSteps: [],
    fires: ({ ending }) =>
      ending.stopRequestedBy === null || ending.exitCode === 0
        ? null
        : proven('terminated', `Holdfast stopped it: ${ending.stopRequestedBy}.`),
  }),
  rule({
    name: 'somebody deleted its pod',
    gives: ['deleted'],
    means: 'The pod was deleted while it ran, by a person or a program that is not this Holdfast.',
    needs: 'A time of deletion before the end, no word of the cluster about it, and no exit code 0.',
    mustNotConclude: 'Who did it: only the audit log of the API server has that.',
    nextSteps: [
      'Search the audit log of the API server for the deletion of this pod.',
      'See whether a second controller, a clean-up job or a person tends the same namespace.',
    ],
    fires: deleted,
  }),
]

function deleted({ ending }: Known): Finding | null {
  if (deleterOf(ending) !== 'unknown' || ending.exitCode === 0) return null
  const said = 'Its pod was asked to go; not by this Holdfast as far as it knows. Who did is unknown.'
  return { ...likely('deleted', said), unknown: ['who deleted its pod'] }
}
