import type { Command } from 'commander'
import {
  type Explanation,
  explanationSchema,
  iso,
  type TriageReport,
  triageCaseView,
} from '../../api/index.ts'
import type { Contract } from '../../domain/audit/index.ts'
import { HoldfastError, isError } from '../../domain/errors/index.ts'
import type { Snapshot } from '../../domain/snapshot/index.ts'
import { type TriageSubject, triage } from '../../domain/triage/index.ts'
import { type Meaning, meaningsOf, meaningText } from '../../explain/index.ts'
import { findServer } from '../client/find-server.ts'
import type { Context } from '../context.ts'
import { explainLogFile } from '../explain-log-file.ts'
import { openSnapshot } from '../snapshot/open-snapshot.ts'
import { usage } from '../usage.ts'
import { subjectOf, wishesOf } from './subject.ts'

export interface TriageOrder {
  readonly asked: string
  readonly contract: Contract | null
  /** Whether the facts come from a file: then nobody else is asked. */
  readonly hasFile: boolean
}

/** Names that can only be files; any other name may be one, too. */
const looksLikeFile = /^(?:[./~]|-$)|\.(?:log|txt)$/i
const isUrl = /^https?:/i

/**
 * A log answers for itself, the ledger for what is ours, and the facts of cluster and forge for everything else. Throws
 * E_USAGE, E_SUBJECT_UNKNOWN, or why nothing could be read.
 */
export async function answer(order: TriageOrder, command: Command, context: Context): Promise<TriageReport> {
  const { asked, hasFile } = order
  const ofLog = await fromLog(asked, context)
  if (ofLog !== null) return explained(asked, 'log', ofLog)
  const meanings = meaningsOf(asked)
  if (meanings.length === 0) throw misunderstood(asked)
  const ofLedger = hasFile ? null : await fromServer(asked, meanings, command, context)
  if (ofLedger !== null && isOurs(ofLedger)) return explained(asked, 'ledger', ofLedger)
  const subject = meanings.map(subjectOf).find((each) => each !== null) ?? null
  if (subject === null) throw unknown(asked, meanings)
  try {
    const snapshot = await openSnapshot(command, context, wishesOf(subject), false)
    return fromFacts(order, subject, meanings, snapshot, context)
  } catch (error) {
    // The forge's word alone is better than nothing.
    if (ofLedger === null) throw error
    return explained(asked, 'ledger', ofLedger)
  }
}

/** Null where there is no such file, and the name may be that of something else. */
async function fromLog(asked: string, context: Context): Promise<Explanation | null> {
  if (isUrl.test(asked)) return null
  try {
    return await explainLogFile(asked, context)
  } catch (error) {
    if (!isError(error, 'E_LOG_UNREADABLE') || looksLikeFile.test(asked)) throw error
    return null
  }
}

/** Null where no Holdfast answers, or it does not know the subject. */
async function fromServer(
  asked: string,
  [meaning]: readonly Meaning[],
  command: Command,
  context: Context,
): Promise<Explanation | null> {
  try {
    const server = await findServer(command, context)
    return await server.get(`/v1/explain/${encodeURIComponent(asked)}`, explanationSchema)
  } catch (error) {
    const isOneOfMany = isError(error, 'E_SUBJECT_AMBIGUOUS') && meaning?.kind !== 'run-url'
    if (!(error instanceof HoldfastError) || isOneOfMany) throw error
    return null
  }
}

function isOurs({ job, runner }: Explanation): boolean {
  return job?.id != null || runner?.pool != null
}

function fromFacts(
  { asked, contract }: TriageOrder,
  subject: TriageSubject,
  meanings: readonly Meaning[],
  snapshot: Snapshot,
  { clock }: Context,
): TriageReport {
  const cases = triage(subject, snapshot, contract).map(triageCaseView)
  if (cases.length === 0) throw unknown(asked, meanings, snapshot)
  return {
    version: 1,
    at: iso(clock.now()),
    asked,
    answeredBy: 'snapshot',
    explanation: null,
    factsAt: iso(snapshot.takenAt),
    cases,
    isReached: cases.every(({ isReached }) => isReached),
  }
}

function explained(asked: string, answeredBy: 'ledger' | 'log', explanation: Explanation): TriageReport {
  const { at, isReached } = explanation
  return { version: 1, at, asked, answeredBy, explanation, factsAt: null, cases: [], isReached }
}

function misunderstood(asked: string): HoldfastError {
  return isUrl.test(asked)
    ? usage(
        `"${asked}" is no URL of a job or run: expected https://<forge>/<owner>/<repository>/actions/runs/<run> or …/runs/<run>/job/<job>`,
      )
    : usage(
        `"${asked}" names nothing: expected the URL of a job or run, a runner, a pod (name or namespace/name), or a file`,
      )
}

/** Nothing that was read names it; parts that were not read might. */
function unknown(asked: string, meanings: readonly Meaning[], snapshot?: Snapshot): HoldfastError {
  const lists =
    snapshot === undefined ? [] : [snapshot.forge.jobs, snapshot.cluster.runners, snapshot.cluster.pods]
  const unread = lists.flatMap(({ unread }) => unread.map(({ what, why }) => `not read: ${what}: ${why}`))
  return new HoldfastError('E_SUBJECT_UNKNOWN', {
    subject: asked,
    tried: [...meanings.map(meaningText), ...unread],
  })
}
