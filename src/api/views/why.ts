import type { Incident } from '../../domain/incident/index.ts'
import { forgeLimitOf, poolProblemsOf, type QueueFacts, whyQueued } from '../../domain/queue/index.ts'
import type { Instant } from '../../domain/time.ts'
import type { WhyAnswer } from '../contracts/why.ts'
import { reach } from './reach.ts'
import { safeText } from './safe.ts'
import { iso } from './time.ts'

/** The answer to "why is it still queued", with the facts that it was read from. */
export function whyAnswer(
  facts: QueueFacts,
  incidents: readonly Incident[],
  served?: string,
  points: ReadonlyMap<string, Instant> = new Map(),
): WhyAnswer {
  const { job, hold } = facts
  const found = reach(job, incidents, served)
  const before = facts.ahead.reduce((sum, row) => sum + row.jobs, 0)
  const limit = forgeLimitOf(points, facts.now, before)
  const { reason, sentence, behind } = whyQueued(facts, found, limit, poolProblemsOf(job, incidents))
  return {
    at: iso(facts.now),
    job: job.id,
    state: job.state,
    reason,
    sentence: safeText(sentence),
    reach: found,
    behind,
    ahead: facts.ahead.map(({ repository, jobs }) => ({ repository, jobs })),
    pool: job.pool,
    runners: { live: facts.runners.live, idle: facts.runners.idle, max: facts.runners.max },
    caps: {
      repository: { running: facts.runningOfRepository, cap: facts.capPerRepository },
      owner: { running: facts.runningOfOwner, cap: facts.capPerOwner },
    },
    run: facts.run === null ? null : { ranMs: facts.run.ranMs, limitMs: facts.run.limitMs },
    hold: hold === null ? null : { key: hold.key, reason: safeText(hold.reason), until: iso(hold.until) },
  }
}
