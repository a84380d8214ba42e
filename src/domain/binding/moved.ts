import { isSameName } from '../job/index.ts'
import type { ForgeWord } from './word.ts'

/**
 * Whether the forge has a job in another repository than was known: it was renamed, or given to another owner. The job
 * is the same, by its number.
 */
export function isMoved(known: { readonly repository: string }, word: Pick<ForgeWord, 'job'>): boolean {
  return !isSameName(known.repository, word.job.repository)
}
