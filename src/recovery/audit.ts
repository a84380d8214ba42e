import type { ForgeWord } from '../domain/binding/index.ts'
import { isOpen } from '../domain/job/index.ts'
import type { Pool } from '../domain/pool/index.ts'
import type { Instant } from '../domain/time.ts'
import { done, type Loop } from '../loop/index.ts'
import type { RecoveryDeps } from './look.ts'

/** The names under which the audit's decisions are recorded. */
export const missedJobRule = 'missed-job'
export const missedWordRule = 'missed-word'
export const auditRules = [missedJobRule, missedWordRule] as const

/** How far back the first audit of all looks: not into a history that is none of ours. */
const firstLookBackMs = 24 * 60 * 60_000
/** Later ones look back to the one before, whichever process made it, and a little further for clocks that differ. */
const overlapMs = 60_000

/**
 * Asks the forge what it has, and applies what is not known here: jobs that no webhook told us about (I6), also
 * those that one of our runners took and finished unseen, and ends that were missed. A listing that fails ends the
 * pass: it is never read as "nothing is queued" (I10).
 */
export function auditLoop(deps: RecoveryDeps, installation: string, everyMs: number): Loop {
  const cursor = `audit ${installation}`
  return {
    name: 'audit',
    sweepMs: everyMs,
    wokenBy: () => false,
    async pass(signal) {
      const now = await deps.ledger.now()
      const since = (await deps.ledger.cursor(cursor)) ?? now - firstLookBackMs
      await audit(deps, installation, since - overlapMs, signal)
      await deps.ledger.moveCursor(cursor, now)
      return done
    },
  }
}

async function audit(
  deps: RecoveryDeps,
  installation: string,
  since: Instant,
  signal: AbortSignal,
): Promise<void> {
  const pools = await deps.ledger.pools()
  for (const word of await deps.forge.listJobs(installation, since, signal)) {
    const rule = await missed(word, pools, deps)
    if (rule !== null) await hear(word, rule, deps)
  }
}

/** What a listed word tells that is not known here. */
async function missed(word: ForgeWord, pools: readonly Pool[], deps: RecoveryDeps) {
  const known = await deps.ledger.findJob(word.job.installation, word.job.forgeJobId)
  if (known === null) return word.status !== 'completed' || isOurs(word, pools) ? missedJobRule : null
  if (!isOpen(known) || word.status === 'queued') return null
  const isNews = word.status === 'completed' || known.executor !== word.runnerName
  return isNews ? missedWordRule : null
}

/** A job that is over and unknown concerns us only if a runner of ours ran it: they carry their pool's name. */
function isOurs({ runnerName }: ForgeWord, pools: readonly Pool[]): boolean {
  return runnerName !== null && pools.some((pool) => runnerName.startsWith(`${pool.name}-`))
}

async function hear(word: ForgeWord, rule: string, { ledger, metrics, log }: RecoveryDeps): Promise<void> {
  const heard = await ledger.hear(word, { source: 'audit', rule })
  if (heard.kind !== 'new' && heard.kind !== 'changed') return
  const { jobId } = heard
  const id = await ledger.recordDecision({
    rule,
    jobId,
    attemptId: null,
    runnerId: null,
    facts: { forgeJob: { known: true, value: word, readAt: await ledger.now(), source: 'forge' } },
    actions: [{ kind: 'hear', word }],
  })
  await ledger.recordOutcome(id, `hear: ${heard.kind}`)
  metrics.count('holdfast_decisions_total', { rule })
  log.warn({ job: jobId, repository: word.job.repository, status: word.status, rule }, 'a webhook was lost')
}
