import type { Explanation } from '../api/index.ts'
import { isError } from '../domain/errors/index.ts'
import type { JobEvent } from '../domain/job-event/index.ts'
import type { Forge, ForgeScope } from '../ports/forge.ts'
import type { HostSampleLedger, LedgerClock } from '../ports/ledger.ts'
import { attemptsOf } from './attempts.ts'
import { type FindLedger, findSubject, type ServedForge } from './find.ts'
import { explainJobEvent } from './from-forge.ts'
import { explainFromLedger, samplesKeyOf } from './from-ledger.ts'
import { type AskedForge, readJobAtForge } from './job-at-forge.ts'
import { jobToAsk } from './job-failure.ts'
import { meaningsOf } from './subject.ts'

type ExplainLedger = FindLedger & LedgerClock & HostSampleLedger

export interface ExplainDeps extends AskedForge {
  readonly ledger: ExplainLedger
  readonly served: ServedForge
}

/**
 * Finds what a text names and explains it; of a job that is none of ours, by the forge's word alone. Throws
 * E_SUBJECT_UNKNOWN, E_SUBJECT_AMBIGUOUS, or E_FORGE_UNAVAILABLE.
 */
export async function explainSubject(
  asked: string,
  { ledger, forge, clock, served }: ExplainDeps,
  signal: AbortSignal,
): Promise<Explanation> {
  const read = (scope: ForgeScope, forgeJobId: number) =>
    readJobAtForge({ forge, clock }, scope, forgeJobId, signal)
  const now = await ledger.now()
  try {
    const found = await findSubject(asked, ledger, served)
    const samplesKey = samplesKeyOf(found)
    const ring = samplesKey === null ? null : await ledger.hostSamples(samplesKey)
    const over = jobToAsk(found)
    const isServed = over?.installation === served.installation
    const atForge = over === null || !isServed ? null : await read(over, over.forgeJobId)
    const attempts = atForge && (await attemptsOf(atForge, ledger))
    return explainFromLedger({ ...found, asked, now, ring, atForge, attempts })
  } catch (error) {
    if (!isError(error, 'E_SUBJECT_UNKNOWN')) throw error
    const event = await askForge(asked, forge, served, signal)
    if (event === null) throw error
    const isOver = event.status === 'completed'
    const atForge = isOver ? await read(event.job, event.job.forgeJobId) : null
    const attempts = atForge && (await attemptsOf(atForge, ledger))
    return explainJobEvent(event, asked, now, atForge, attempts)
  }
}

/** Only a URL says whose job it is. */
async function askForge(
  asked: string,
  forge: Pick<Forge, 'readJob'>,
  { installation }: ServedForge,
  signal: AbortSignal,
): Promise<JobEvent | null> {
  const [meaning] = meaningsOf(asked)
  if (meaning?.kind !== 'job-url') return null
  const { repository, runId, forgeJobId } = meaning
  const event = await forge.readJob({ installation, repository }, forgeJobId, signal)
  const isMeant = event !== null && (runId === null || event.job.runId === runId)
  return isMeant ? event : null
}
