import type { Explanation } from '../api/index.ts'
import type { ForgeWord } from '../domain/binding/index.ts'
import { isError } from '../domain/errors/index.ts'
import type { Forge } from '../ports/forge.ts'
import type { Ledger } from '../ports/ledger.ts'
import { type FindLedger, findSubject, type ServedForge } from './find.ts'
import { explainWord } from './from-forge.ts'
import { explainKnown, ringKeyOf } from './from-ledger.ts'
import { meaningsOf } from './subject.ts'

export type ExplainLedger = FindLedger & Pick<Ledger, 'now' | 'ring'>

export interface ExplainDeps {
  readonly ledger: ExplainLedger
  readonly forge: Pick<Forge, 'readJob'>
  readonly served: ServedForge
}

/**
 * Finds what a text names and explains it; of a job that is none of ours, by the forge's word alone. Throws
 * E_SUBJECT_UNKNOWN, E_SUBJECT_AMBIGUOUS, or E_FORGE_UNAVAILABLE.
 */
export async function explainSubject(
  asked: string,
  { ledger, forge, served }: ExplainDeps,
  signal: AbortSignal,
): Promise<Explanation> {
  const now = await ledger.now()
  try {
    const found = await findSubject(asked, ledger, served)
    const ringKey = ringKeyOf(found)
    const ring = ringKey === null ? null : await ledger.ring(ringKey)
    return explainKnown({ ...found, asked, now, ring })
  } catch (error) {
    if (!isError(error, 'E_SUBJECT_UNKNOWN')) throw error
    const word = await askForge(asked, forge, served, signal)
    if (word === null) throw error
    return explainWord(word, asked, now)
  }
}

/** Only a URL says whose job it is. */
async function askForge(
  asked: string,
  forge: Pick<Forge, 'readJob'>,
  { installation }: ServedForge,
  signal: AbortSignal,
): Promise<ForgeWord | null> {
  const [meaning] = meaningsOf(asked)
  if (meaning?.kind !== 'job-url') return null
  const { repository, runId, forgeJobId } = meaning
  const word = await forge.readJob({ installation, repository }, forgeJobId, signal)
  const isMeant = word !== null && (runId === null || word.job.runId === runId)
  return isMeant ? word : null
}
