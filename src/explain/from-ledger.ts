import { decisionText, decisionView, durationText, type Explanation, groupDecisions } from '../api/index.ts'
import { type Attempt, runnerNameOf } from '../domain/attempt/index.ts'
import {
  answeredByStep,
  type HostSamples,
  type JobAtEnd,
  judgeLiving,
  type Verdict,
} from '../domain/death/index.ts'
import { isOpen } from '../domain/job/index.ts'
import type { JobVerdict } from '../domain/job-failure/index.ts'
import type { AttemptComparison } from '../domain/run-attempt/index.ts'
import { isLive, type Runner } from '../domain/runner/index.ts'
import type { Instant } from '../domain/time.ts'
import { endingEntries } from '../domain/timeline/index.ts'
import type { DecisionRow, HostSamplesKey } from '../ports/ledger.ts'
import { compose } from './compose.ts'
import {
  attemptItems,
  type EvidenceItem,
  endingItems,
  evidenceItem,
  forgeItems,
  forgeJobItems,
  sampleItems,
} from './evidence/index.ts'
import type { FoundSubject } from './find.ts'
import type { JobAtForge } from './job-at-forge.ts'
import { failureOf } from './job-failure.ts'
import { isReached, judgeAgain } from './judge.ts'
import { lastReportOf } from './last-report.ts'
import { type SealedDeath, sealedDeath } from './sealed.ts'
import { forgeEntries, ledgerEntries, sampleEntries } from './timeline/index.ts'

export interface LedgerSubject extends FoundSubject {
  readonly asked: string
  readonly now: Instant
  /** Of the pod that the death record names; null where the agent saw nothing of it. */
  readonly ring: HostSamples | null
  /** Null where the forge was not asked: the job is open, or did not fail. */
  readonly atForge: JobAtForge | null
  /** Null where it had only one, or the forge was not asked. */
  readonly attempts: AttemptComparison | null
}

/** Earlier attempts of a job whose ends are shown next to the newest. */
const earlierMax = 5

/** How the runner of a subject ended, by all that the ledger has of it. */
export function explainFromLedger(known: LedgerSubject): Explanation {
  const { job, runner, now } = known
  const attempt = focusOf(known)
  const sealed = sealedOf(known)
  const word = attempt === null || job === null ? null : lastReportOf(attempt, job)
  const ring = known.ring ?? sealed?.record.ring ?? null
  const ending = sealed?.record.ending ?? null
  const end = sealed === null ? null : judgeAgain(sealed.record, { job: word, ring })
  // The forge's details are those of the newest attempt, or of a runner that is not ours.
  const atForge = word === null && attempt !== null ? null : known.atForge
  const jobVerdict = atForge && failureOf(known, atForge, { end, ending, ring })
  // A runner that reported the step that failed was not given up by the forge.
  const isReported = jobVerdict !== null && jobVerdict.step !== null
  const verdict = isReported ? answered(end) : (end ?? livingVerdict(known, sealed, word, ring))
  return compose({
    now,
    verdict,
    jobVerdict,
    attempts: known.attempts && withVerdict(known.attempts, atForge?.job?.jobId, jobVerdict),
    jobLog: atForge?.log ?? null,
    sealed,
    ending,
    ring,
    subject: { asked: known.asked, kind: known.kind, title: titleOf(known, attempt) },
    job: jobView(known),
    runner: runnerView(known, attempt),
    pod: ending?.pod?.place ?? null,
    summary: summaryOf(known, attempt, sealed, verdict ?? jobVerdict),
    evidence: [
      ...(ending === null ? [] : endingItems(ending)),
      ...sampleItems(ring),
      ...forgeItems(word, sealed?.record.job ?? null),
      ...forgeJobItems(atForge?.job ?? null, atForge?.log ?? null, now),
      ...attemptItems(attempt),
      ...earlierItems(known, attempt),
      ...recordItems(sealed),
    ],
    timeline: [
      ...forgeEntries(job?.job ?? null),
      ...ledgerEntries([...(job?.timeline ?? []), ...(runner?.timeline ?? [])]),
      ...endingEntries(ending),
      ...sampleEntries(ring),
    ],
    actionsTaken: actionsOf([...(job?.decisions ?? []), ...(runner?.decisions ?? [])]),
    unknown: [...(atForge?.unread ?? []), ...unknownOf(known, attempt, sealed)],
    nextSteps: stepsOf(known, verdict),
  })
}

/** The attempts, of which the one that is asked about has the verdict that its runner's evidence is part of. */
function withVerdict(
  comparison: AttemptComparison,
  jobId: number | undefined,
  verdict: JobVerdict | null,
): AttemptComparison {
  const attempts = comparison.attempts.map((each) => (each.job.jobId === jobId ? { ...each, verdict } : each))
  return { ...comparison, attempts }
}

/** The end without the questions that the runner's report of the step answers. */
function answered(end: Verdict | null): Verdict | null {
  return end && { ...end, unknown: end.unknown.filter((line) => !answeredByStep.includes(line)) }
}

/** Of a runner that lives: whether the forge gave it up meanwhile. */
function livingVerdict(
  { runner, now }: LedgerSubject,
  sealed: SealedDeath | null,
  job: JobAtEnd | null,
  ring: HostSamples | null,
): Verdict | null {
  if (sealed !== null || runner === null || !isLive(runner.runner)) return null
  return judgeLiving({ job, ring }, now)
}

/** Under which the agent's samples are kept: the UID of its pod, or the name of a runner that is a process. */
export function samplesKeyOf(found: FoundSubject): HostSamplesKey | null {
  const place = sealedOf(found)?.record.ending?.pod?.place ?? null
  const podUid = (place === null ? found.runner?.runner.name : place.uid) || null
  return podUid === null ? null : { podUid, node: place?.node ?? null }
}

/** The attempt whose runner is explained: the newest. */
function focusOf({ job, runner, kind }: FoundSubject): Attempt | null {
  if (kind === 'job') return job?.attempts.at(-1) ?? null
  return runner?.attempts.at(-1)?.attempt ?? null
}

function runnerIdOf(found: FoundSubject): number | null {
  return found.runner?.runner.id ?? focusOf(found)?.runnerId ?? null
}

function sealedOf(found: FoundSubject): SealedDeath | null {
  const id = runnerIdOf(found)
  if (id === null) return null
  return sealedDeath([...(found.runner?.evidence ?? []), ...(found.job?.evidence ?? [])], id)
}

function titleOf({ job, runner, kind }: FoundSubject, attempt: Attempt | null): string {
  const of = job === null ? '' : `job ${job.job.id}, ${job.job.repository} · ${job.job.name}`
  if (kind === 'job') return of.replace(/^j/, 'J')
  const name = runner?.runner.name ?? runnerNameOf(attempt?.forgeRunnerName ?? '')
  return of === '' ? `Runner ${name}` : `Runner ${name}, given ${of}`
}

function jobView({ job }: FoundSubject): Explanation['job'] {
  if (job === null) return null
  const { id, installation, forgeJobId, repository, name, state, conclusion } = job.job
  return {
    id,
    forge: `${installation}:${forgeJobId}`,
    repository,
    name,
    state: conclusion === null ? state : `${state} (${conclusion})`,
    said: null,
  }
}

function runnerView({ runner }: FoundSubject, attempt: Attempt | null): Explanation['runner'] {
  if (runner !== null) {
    const { name, pool, state } = runner.runner
    return { name, pool, state }
  }
  return attempt === null
    ? null
    : { name: runnerNameOf(attempt.forgeRunnerName), pool: null, state: 'not known any more' }
}

function summaryOf(
  known: LedgerSubject,
  attempt: Attempt | null,
  sealed: SealedDeath | null,
  verdict: Verdict | JobVerdict | null,
): string {
  const { job, runner, now } = known
  const ago = (at: Instant) => `${durationText(now - at)} ago`
  if (runner === null && attempt === null) return withoutRunner(known)
  if (sealed !== null) {
    const { ending } = sealed.record
    return `The runner ended ${ago(ending?.endedAt || sealed.at)}, and its death is on record.`
  }
  if (runner !== null && isLive(runner.runner)) {
    const over = verdict === null ? 'nothing has ended' : 'the forge ended its job, and it lives on'
    return `${livingText(runner.runner, ago)}: ${over}.`
  }
  const over =
    job !== null && !isOpen(job.job) ? ` The job is over: ${job.job.conclusion ?? job.job.state}.` : ''
  return `No record of the end of the runner is here.${over}`
}

function livingText({ state, polledAt, createdAt, fencedAt }: Runner, ago: (at: Instant) => string): string {
  const since = fencedAt ?? polledAt ?? createdAt
  return `The runner lives (${state}, last seen ${ago(since)})`
}

function withoutRunner({ job }: FoundSubject): string {
  if (job === null) return 'Nothing is known of it.'
  const { executor, state, conclusion } = job.job
  if (executor !== null)
    return `The forge says that it ran on ${executor}, which is no runner of this Holdfast.`
  if (state === 'queued') return 'It is queued: no runner was given it yet.'
  return `It is over (${conclusion ?? state}), and no runner of this Holdfast was ever given it.`
}

/** How the runners of earlier attempts ended. */
function earlierItems({ job, kind }: FoundSubject, attempt: Attempt | null): EvidenceItem[] {
  if (job === null || kind !== 'job') return []
  const earlier = job.attempts.filter(({ id }) => id !== attempt?.id).slice(-earlierMax)
  return earlier.map(({ id, forgeRunnerName, runnerId, endReason, endedAt }) => {
    const record = sealedDeath(job.evidence, runnerId)?.record
    const how = record === undefined ? (endReason ?? 'open') : `${record.class}, ${record.confidence}`
    return evidenceItem(
      'ledger',
      endedAt,
      `Attempt ${id} before it, on ${runnerNameOf(forgeRunnerName)}: ${how}.`,
    )
  })
}

function recordItems(sealed: SealedDeath | null): EvidenceItem[] {
  if (sealed === null) return []
  const whole = sealed.record.outcome === 'complete' ? 'complete' : 'incomplete'
  return [evidenceItem('ledger', sealed.at, `The death record was sealed, ${whole}.`)]
}

function actionsOf(rows: readonly DecisionRow[]): Explanation['actionsTaken'] {
  const once = [...new Map(rows.map((row) => [row.id, row])).values()].sort((a, b) => a.id - b.id)
  return groupDecisions(once.map(decisionView)).map(({ first, count, lastAt }) => ({
    at: first.at,
    rule: first.rule,
    text: decisionText(first),
    why: first.why,
    count,
    lastAt,
  }))
}

function unknownOf({ runner }: FoundSubject, attempt: Attempt | null, sealed: SealedDeath | null): string[] {
  if (sealed !== null) return []
  const isGone = runner === null ? attempt !== null : !isLive(runner.runner)
  return isGone ? ['how the runner ended: its death record is not here, or not any more'] : []
}

/** Steps for an operator, by the verdict. */
function stepsOf({ job }: FoundSubject, verdict: Verdict | null): string[] {
  if (job === null) return []
  const { id, state, conclusion, executor } = job.job
  const foreign = job.attempts.length === 0 && executor !== null
  if (foreign) return [`If ${executor} is a pod: holdfast explain --namespace <namespace> ${executor}`]
  if (state === 'queued') return [`Why it waits: holdfast why ${id}`]
  const isBad = state === 'lost' || (conclusion !== null && conclusion !== 'success')
  const isWorthIt = isBad && isReached(verdict) && verdict?.class !== 'clean'
  return [
    ...(isWorthIt ? [`Once the cause is gone, run it again: holdfast rerun ${id}`] : []),
    `All rows of the job: holdfast job ${id}; its log at the forge: holdfast log ${id}`,
  ]
}
