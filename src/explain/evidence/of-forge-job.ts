import type { ForgeJobFact, StepFact } from '../../domain/snapshot/index.ts'
import type { Instant } from '../../domain/time.ts'
import { type EvidenceItem, evidenceItem } from './item.ts'

/** Annotations that are repeated as evidence. */
const annotationsMax = 3

/** The forge's facts about how a job ended: commit and attempt, steps, annotations. */
export function forgeJobItems(job: ForgeJobFact | null, log: string | null, now: Instant): EvidenceItem[] {
  if (job === null) return []
  return [
    ...(job.headSha === null
      ? []
      : [evidenceItem('forge', now, `It ran commit ${job.headSha}${ofAttempt(job.runAttempt)}.`)]),
    ...stepItems(job.steps ?? []),
    ...(job.annotations ?? [])
      .slice(0, annotationsMax)
      .map(({ level, message }) =>
        evidenceItem('forge', job.completedAt, `Annotation (${level}): ${message}`),
      ),
    ...(log === null
      ? []
      : [evidenceItem('log', job.completedAt, `The forge has its log, of ${lineCount(log)}.`)]),
  ]
}

function ofAttempt(attempt: number | null): string {
  return attempt === null ? '' : `, in attempt ${attempt} of its run`
}

function stepItems(steps: readonly StepFact[]): EvidenceItem[] {
  const failed = steps.filter(({ conclusion }) => conclusion === 'failure' || conclusion === 'timed_out')
  const open = steps.filter(({ status, conclusion }) => status === 'in_progress' && conclusion === null)
  const done = steps.filter(({ conclusion }) => conclusion === 'success').length
  const items = [
    ...failed.map((step) => evidenceItem('forge', step.completedAt, `Step ${nameOf(step)} failed.`)),
    ...open.map((step) =>
      evidenceItem('forge', step.startedAt, `Step ${nameOf(step)} began and has no end.`),
    ),
  ]
  if (steps.length === 0) return []
  return [...items, evidenceItem('forge', null, `Of its ${steps.length} steps, ${done} succeeded.`)]
}

function nameOf({ number, name }: StepFact): string {
  return `${number}, "${name}",`
}

function lineCount(log: string): string {
  const count = log.trimEnd().split('\n').length
  return count === 1 ? '1 line' : `${count} lines`
}
