import { type CancelAnswer, ranOfLimit } from '../../attempt/index.ts'
import type { Known } from '../known.ts'
import type { JobReport } from '../record.ts'
import { type Finding, likely, unsure } from '../verdict.ts'
import { rule } from './rule.ts'

/** The rule for a job past the limit of its pool. Another cause may have ended it at the same time: likely at most. */
export const jobDeadlineRules = [
  rule({
    name: "its job ran into its pool's limit",
    gives: ['job-deadline'],
    means:
      'Its job ran for longer than the pool allows (maxJobSeconds): the forge was asked to cancel it, and then the runner ended or was stopped.',
    needs:
      "The ledger's note that the job was past the limit, made before the forge was asked, and no success of the job. Likely where the forge cancelled it, or where Holdfast stopped the runner; unknown where the forge has not said how the job ended.",
    mustNotConclude:
      'That the runner failed, nor that the job was lost: it ended as the owner of the pool wants it. Its log shows whether the job hung or was only slow.',
    nextSteps: [
      "Read the job's log: a step that hangs needs a timeout of its own in the workflow (timeout-minutes).",
      'Where the job is only slow, raise maxJobSeconds of the pool.',
    ],
    fires: (known) => {
      const { job } = known
      return job?.pastDeadline ? finding(known, job, job.pastDeadline) : null
    },
  }),
]

function finding(
  { ending: { stopRequestedBy } }: Known,
  { forgeStatus, conclusion }: JobReport,
  { limitMs, ranMs, cancel }: NonNullable<JobReport['pastDeadline']>,
): Finding | null {
  const isCancelled = conclusion === 'cancelled'
  // The job ended by itself, just before it would have been cancelled.
  const isOwnEnd = forgeStatus === 'completed' && !isCancelled && stopRequestedBy === null
  if (conclusion === 'success' || isOwnEnd) return null
  const because = [
    `Its job had run for ${ranOfLimit(ranMs, limitMs)} when it was found past the limit of its pool.`,
    cancelNote(cancel),
    ...(isCancelled ? ['The forge says that its job was cancelled.'] : []),
    ...(stopRequestedBy === null ? [] : [`Holdfast stopped it: ${stopRequestedBy}.`]),
  ]
  if (isCancelled || stopRequestedBy !== null) return likely('job-deadline', ...because)
  return {
    ...unsure('job-deadline', ...because),
    unknown: ['how the forge ended its job: it has not said so'],
  }
}

function cancelNote(answer: CancelAnswer | null): string {
  if (answer === 'done') return 'The forge was asked to cancel it, and accepted.'
  if (answer === null) return 'The forge was asked to cancel it, and had not answered.'
  return answer === 'refused'
    ? 'The forge was asked to cancel it, and refused.'
    : 'The forge cannot be asked to cancel it.'
}
