import {
  type ApiJobVerdict,
  type ApiVerdict,
  attemptsView,
  deathText,
  type Explanation,
  iso,
  jobVerdictView,
} from '../api/index.ts'
import type { Ending, HostSamples, Verdict } from '../domain/death/index.ts'
import type { JobVerdict } from '../domain/job-failure/index.ts'
import type { AttemptComparison } from '../domain/run-attempt/index.ts'
import type { Instant } from '../domain/time.ts'
import { newestEntries, type TimelineEntry } from '../domain/timeline/index.ts'
import type { EvidenceItem } from './evidence/index.ts'
import { isReached, isSameVerdict } from './judge.ts'
import type { SealedDeath } from './sealed.ts'
import { once, oneLine, tailText } from './text.ts'

/** A subject with all that is known of it, before it is redacted. */
export interface ExplainedCase {
  readonly now: Instant
  readonly subject: Explanation['subject']
  readonly job: Explanation['job']
  readonly runner: Explanation['runner']
  readonly pod: Explanation['pod']
  readonly summary: string
  readonly ending: Ending | null
  readonly ring: HostSamples | null
  /** Of the runner's end. */
  readonly verdict: Verdict | null
  /** Of the job's failure. */
  readonly jobVerdict: JobVerdict | null
  readonly attempts?: AttemptComparison | null
  /** Output that is shown where nothing of the runner's is known. */
  readonly jobLog?: string | null
  readonly sealed: SealedDeath | null
  readonly evidence: readonly EvidenceItem[]
  readonly timeline: readonly TimelineEntry[]
  readonly actionsTaken: Explanation['actionsTaken']
  /** Next to the verdict's own. */
  readonly unknown: readonly string[]
  readonly nextSteps: readonly string[]
}

/**
 * The one place where an explanation is bounded, redacted and made harmless to a terminal: whatever builds a case leaves
 * its text as it is.
 */
export function compose(given: ExplainedCase): Explanation {
  const { verdict, jobVerdict, sealed, ending } = given
  const verdicts = [jobVerdict, verdict]
  const { entries, leftOut } = newestEntries(given.timeline)
  return {
    at: iso(given.now),
    subject: {
      ...given.subject,
      asked: oneLine(given.subject.asked),
      title: oneLine(given.subject.title),
    },
    job: given.job && {
      ...given.job,
      repository: oneLine(given.job.repository),
      name: oneLine(given.job.name),
    },
    runner: given.runner && { ...given.runner, name: oneLine(given.runner.name) },
    pod: given.pod,
    summary: oneLine(given.summary),
    verdict: verdict === null ? null : verdictView(verdict),
    jobVerdict: jobVerdict === null ? null : harmlessVerdict(jobVerdict),
    attempts: given.attempts ? attemptsView(given.attempts, oneLine) : null,
    isReached: isReached(verdict) || (jobVerdict !== null && jobVerdict.confidence !== 'unknown'),
    sealed:
      sealed === null
        ? null
        : {
            ...verdictView(sealed.record),
            at: iso(sealed.at),
            isComplete: sealed.record.outcome === 'complete',
          },
    isChanged: verdict !== null && sealed !== null && !isSameVerdict(verdict, sealed.record),
    evidence: given.evidence.map(({ source, at, text }) => ({
      source,
      at: at === null || at <= 0 ? null : iso(at),
      text: oneLine(text),
    })),
    ruledOut: once(verdicts.flatMap((each) => each?.ruledOut ?? []).map(oneLine)),
    unknown: once(
      [
        ...verdicts.flatMap((each) => each?.unknown ?? []),
        ...unread(given),
        ...(given.attempts?.unknown ?? []),
        ...given.unknown,
      ].map(oneLine),
    ),
    timeline: entries.map(({ at, source, text }) => ({ source, at: iso(at), text: oneLine(text) })),
    leftOut,
    actionsTaken: given.actionsTaken.map((row) => ({ ...row, text: oneLine(row.text) })),
    nextSteps: once(
      [
        ...verdicts.flatMap((each) => each?.nextSteps ?? []),
        ...(given.attempts?.nextSteps ?? []),
        ...given.nextSteps,
      ].map(oneLine),
    ),
    tail: tailText(ending?.tail || given.jobLog || ''),
  }
}

function verdictView(verdict: Verdict): ApiVerdict {
  const { class: deathClass, confidence, rule, because } = verdict
  const none = { exitCode: null, signal: null, oomKills: null }
  return {
    class: deathClass,
    confidence,
    rule: oneLine(rule),
    sentence: deathText({ ...none, class: deathClass, confidence, because: [] }),
    because: because.map((line) => oneLine(String(line))),
  }
}

function harmlessVerdict(verdict: JobVerdict): ApiJobVerdict {
  const step = verdict.step === null ? null : oneLine(verdict.step)
  return jobVerdictView({ ...verdict, step, because: verdict.because.map(oneLine) })
}

/** Missing evidence that the verdict does not name already. */
function unread({ ending, ring, verdict }: ExplainedCase): string[] {
  const isNamed = (what: string) => verdict?.unknown.some((line) => line.includes(what)) ?? false
  return [...(ending?.missing ?? []), ...(ring?.missing ?? [])]
    .filter((what) => !isNamed(what))
    .map((what) => `not read: ${what}`)
}
