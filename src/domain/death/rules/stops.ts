import { deleterOf, isTidiedAway } from '../deleter.ts'
import type { ContainerEnd } from '../ending.ts'
import type { Known } from '../known.ts'
import { type Finding, likely, proven } from '../verdict.ts'
import { rule } from './rule.ts'

/** Rules for runners that somebody stopped. */
export const stopRules = [
  rule({
    name: 'we asked it to stop',
    gives: ['terminated'],
    means: 'Holdfast stopped the runner, for the reason that is given.',
    needs:
      'The order to stop in the ledger or at the host, and an end that was not exit code 0. Proven where its pod was asked to go before its end, and only its poller had begun.',
    mustNotConclude: 'That its job was lost: only runners without one are stopped, but by an approved plan.',
    nextSteps: [],
    proof: {
      rests: 'cluster',
      argument:
        "Holdfast gave the order itself and knows why, and by the API server's clock the pod was asked to go before it ended. Its poller had begun and its runner had not, by the kubelet's status, so that it had no job which anything could have happened to before. Where the runner had begun, something else may have been wrong when Holdfast stopped it, and this is likely.",
    },
    fires: stopped,
  }),
  rule({
    name: 'somebody deleted its pod',
    gives: ['deleted'],
    means: 'The pod was deleted while it ran, by a person or a program that is not this Holdfast.',
    needs: 'A time of deletion before the end, no reason from the cluster, and no exit code 0.',
    mustNotConclude: 'Who did it: only the audit log of the API server has that.',
    nextSteps: [
      'Search the audit log of the API server for the deletion of this pod.',
      'See whether a second controller, a clean-up job or a person tends the same namespace.',
    ],
    fires: deleted,
  }),
]

function stopped({ ending }: Known): Finding | null {
  const { stopRequestedBy, exitCode, pod } = ending
  if (stopRequestedBy === null || exitCode === 0) return null
  if (pod !== null && isTidiedAway(ending)) return null
  const containers = pod?.containers ?? []
  const isIdle = containers.some(isWaiting) && containers.some(hasBegun)
  const isBefore = pod !== null && pod.deletedAt !== null && pod.deletedAt <= ending.endedAt
  const sentence = `Holdfast stopped it: ${stopRequestedBy}.`
  return isIdle && isBefore ? proven('terminated', sentence) : likely('terminated', sentence)
}

function isWaiting({ name, state, reason }: ContainerEnd): boolean {
  return name === 'runner' && state === 'waiting' && reason !== null
}

function hasBegun({ startedAt }: ContainerEnd): boolean {
  return startedAt !== null
}

function deleted({ ending }: Known): Finding | null {
  if (deleterOf(ending) !== 'unknown' || ending.exitCode === 0) return null
  const sentence = 'Its pod was asked to go; not by this Holdfast as far as it knows. Who did is unknown.'
  return { ...likely('deleted', sentence), unknown: ['who deleted its pod'] }
}
