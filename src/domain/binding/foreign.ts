import type { ForgeWord } from './word.ts'

/** The label that every self-hosted job asks for, whether a pool of ours serves it or not. */
const SELF_HOSTED = 'self-hosted'

/**
 * Whether a word about a job that nobody knows here is none of our business. A forge tells of jobs without labels
 * (those that call another workflow, or were skipped): no runner can be made for one. A job whose labels a pool has is
 * ours also where that pool does not take its repository: somebody waits for it, and `why` tells.
 */
export function isForeign({ job: { labels }, conclusion }: ForgeWord, areLabelsOurs: boolean): boolean {
  if (labels.length === 0 || conclusion === 'skipped') return true
  return !areLabelsOurs && !isSelfHosted(labels)
}

/** Whether a job with these labels asks for a runner like ours, also where no pool serves it (yet). */
export function isSelfHosted(labels: readonly string[]): boolean {
  return labels.some((label) => label.toLowerCase() === SELF_HOSTED)
}

/** Whether a word lets a job go that was withheld until its approval. */
export function isApproved({ status, waitsForApproval }: ForgeWord): boolean {
  return status === 'queued' && waitsForApproval !== true
}
