import type { JobEvent } from './job-event.ts'

/** The label that every self-hosted job asks for, whether a pool of ours serves it or not. */
const selfHosted = 'self-hosted'

/**
 * Whether an event about an unknown job is ignored. A forge also reports jobs without labels (they call another workflow, or
 * were skipped), for which no runner can be created. A job whose labels a pool has is ours, even where that pool does not
 * take its repository: somebody waits for it, and `why` gives the reason.
 */
export function isForeign({ job: { labels }, conclusion }: JobEvent, areLabelsOurs: boolean): boolean {
  if (labels.length === 0 || conclusion === 'skipped') return true
  return !areLabelsOurs && !isSelfHosted(labels)
}

/** Whether a job with these labels asks for a runner like ours, also where no pool serves it (yet). */
export function isSelfHosted(labels: readonly string[]): boolean {
  return labels.some((label) => label.toLowerCase() === selfHosted)
}

/** Whether an event releases a job that was withheld until its approval. */
export function isApproved({ status, waitsForApproval }: JobEvent): boolean {
  return status === 'queued' && waitsForApproval !== true
}
