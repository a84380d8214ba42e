import { type Attempt, runnerNameOf } from '../../domain/attempt/index.ts'
import type { Incident } from '../../domain/incident/index.ts'
import { rules } from '../../domain/recovery/index.ts'
import type { Instant } from '../../domain/time.ts'
import type { DecisionRow, EvidenceRow, JobFile, TimelineRow } from '../../ports/ledger.ts'
import type { ApiAttempt, ApiDeath, ApiDecision, ApiJobFile, ApiTimelineRow } from '../contracts/job-file.ts'
import { timelineSentence } from '../text/index.ts'
import { deathOf, evidence } from './evidence.ts'
import { jobSummary } from './job.ts'
import { safeFacts } from './safe.ts'
import { iso, isoOrNull } from './time.ts'

/** All that the ledger knows about a job in the terms of the API; never a JIT, a handle or a hash. */
export function jobFile(
  file: JobFile,
  now: Instant,
  incidents: readonly Incident[],
  served?: string,
): ApiJobFile {
  return {
    at: iso(now),
    job: jobSummary(file.job, incidents, served),
    death: lastDeath(file),
    attempts: file.attempts.map(attempt),
    timeline: file.timeline.map(timelineView),
    decisions: file.decisions.map(decisionView),
    evidence: file.evidence.map(evidence),
    archived: file.archived,
  }
}

/** How the runner of the newest attempt ended, where that is on record. */
export function lastDeath(file: Pick<JobFile, 'attempts' | 'evidence'>): ApiDeath | null {
  const newest = file.attempts.reduce<Attempt | null>(
    (last, next) => (last === null || next.id > last.id ? next : last),
    null,
  )
  const row = file.evidence.find(
    ({ kind, runnerId }: EvidenceRow) => kind === 'runner-death' && runnerId === newest?.runnerId,
  )
  return row === undefined ? null : deathOf(row)
}

function attempt(row: Attempt): ApiAttempt {
  return {
    id: row.id,
    runnerName: runnerNameOf(row.forgeRunnerName),
    runner: row.forgeRunnerName,
    runnerId: row.runnerId,
    claimedJobId: row.claimedJobId,
    state: row.state,
    claimedAt: iso(row.claimedAt),
    mintedAt: isoOrNull(row.mintedAt),
    deliveredAt: isoOrNull(row.deliveredAt),
    acknowledgedAt: isoOrNull(row.acknowledgedAt),
    registeredAt: isoOrNull(row.registeredAt),
    startedAt: isoOrNull(row.startedAt),
    endedAt: isoOrNull(row.endedAt),
    endReason: row.endReason,
    evidenceId: row.evidenceId,
  }
}

/** A row of the timeline in the terms of the API, with its sentence. */
function timelineView(row: TimelineRow): ApiTimelineRow {
  return {
    id: row.id,
    at: iso(row.at),
    subject: row.subject,
    subjectId: row.subjectId,
    kind: row.kind,
    source: row.source,
    rule: row.rule,
    facts: safeFacts(row.facts),
    sentence: timelineSentenceOf(row),
  }
}

/** The sentence of a row of the ledger, without secrets. */
export function timelineSentenceOf({ subject, kind, facts }: TimelineRow): string {
  return timelineSentence({ subject, kind, facts: safeFacts(facts) })
}

/** A decision in the terms of the API, with why there is such a rule. */
export function decisionView(row: DecisionRow): ApiDecision {
  return {
    id: row.id,
    at: iso(row.at),
    rule: row.rule,
    why: rules.find(({ name }) => name === row.rule)?.why ?? null,
    attemptId: row.attemptId,
    runnerId: row.runnerId,
    facts: safeFacts(row.facts),
    actions: row.actions.map(safeFacts),
    outcome: row.outcome,
  }
}
