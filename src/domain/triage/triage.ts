import {
  type AuditRun,
  audits,
  type Contract,
  type Finding,
  joinSnapshot,
  runAudits,
  type Unjudged,
  wholeScope,
} from '../audit/index.ts'
import { type JobVerdict, judgeJobFailure } from '../job-failure/index.ts'
import type { AttemptComparison } from '../run-attempt/index.ts'
import type { Snapshot } from '../snapshot/index.ts'
import { attemptsOf } from './attempts.ts'
import { caBundlesOf } from './ca-bundles.ts'
import { casesOf, type TriageCase, type TriageSubject } from './case.ts'
import { concerns } from './concerns.ts'
import { entriesOf, type GuideEntry, type Situation, situationOf } from './guide.ts'
import { type CaseTimeline, timelineOf } from './timeline/index.ts'

/** The answer about one job or runner. */
export interface Triaged {
  readonly found: TriageCase
  readonly situation: Situation
  /** Entries of the guide that were asked, in their order. */
  readonly entries: readonly GuideEntry[]
  /** Why the job failed; null where it did not. */
  readonly jobVerdict: JobVerdict | null
  /** All attempts of the job side by side; null where there is only one. */
  readonly attempts: AttemptComparison | null
  /** Findings that bear on it, worst first. */
  readonly findings: readonly Finding[]
  readonly unjudged: readonly Unjudged[]
  /** The words of forge, cluster and node about it, by time. */
  readonly timeline: CaseTimeline
  /** Whether something says what happened, or what it waits for. */
  readonly isReached: boolean
}

/** Asks the entries of the guide that apply to a subject. Empty where no fact names it. */
export function triage(
  subject: TriageSubject,
  snapshot: Snapshot,
  contract: Contract | null,
): readonly Triaged[] {
  const runs = new Map<Situation, AuditRun>()
  return casesOf(subject, snapshot, joinSnapshot(snapshot)).map((found) => {
    const situation = situationOf(found)
    const entries = entriesOf(situation)
    const run = runs.get(situation) ?? runEntries(entries, snapshot, contract)
    runs.set(situation, run)
    const bearsOn = concerns(found)
    const findings = run.findings.filter((finding) => bearsOn(finding.subject))
    const ofJob = jobVerdictOf(found)
    const isExplained = ofJob !== null && ofJob.confidence !== 'unknown'
    // That its steps say nothing is worth a line only where nothing else does.
    const jobVerdict = isExplained || findings.length === 0 ? ofJob : null
    return {
      found,
      situation,
      entries,
      jobVerdict,
      attempts: attemptsOf(found, snapshot),
      findings,
      unjudged: run.unjudged,
      timeline: timelineOf(found, snapshot),
      isReached: situation === 'job-over' || findings.length > 0 || isExplained,
    }
  })
}

function runEntries(entries: readonly GuideEntry[], snapshot: Snapshot, contract: Contract | null): AuditRun {
  const asked = audits.filter(({ name }) => entries.some(({ audit }) => audit === name))
  return runAudits({ audits: asked, snapshot, earlier: null, contract, narrowed: wholeScope })
}

function jobVerdictOf(found: TriageCase): JobVerdict | null {
  const { job, log } = found
  if (job === null || job.status !== 'completed') return null
  return judgeJobFailure({
    job,
    log: log === null ? null : log.lines.join('\n'),
    runner: null,
    caBundles: caBundlesOf(found),
  })
}
