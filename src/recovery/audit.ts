import { done, type Loop, type Outcome } from '../loop/index.ts'
import type { RecoveryDeps } from './look.ts'

/** The name under which jobs that no webhook told us about are recorded. */
export const missedJobRule = 'missed-job'

/**
 * Asks the forge for every job that it has queued, and inserts those that are unknown here (I6). A listing that
 * fails ends the pass: it is never read as "nothing is queued" (I10).
 */
export function auditLoop(deps: RecoveryDeps, installation: string, everyMs: number): Loop {
  return {
    name: 'audit',
    sweepMs: everyMs,
    wokenBy: () => false,
    pass: (signal) => audit(deps, installation, signal),
  }
}

async function audit(deps: RecoveryDeps, installation: string, signal: AbortSignal): Promise<Outcome> {
  const { ledger } = deps
  for (const word of await deps.forge.listQueued(installation, signal)) {
    if ((await ledger.findJob(installation, word.job.forgeJobId)) !== null) continue
    const heard = await ledger.hear(word, { source: 'audit', rule: missedJobRule })
    if (heard.kind !== 'new') continue
    const id = await ledger.recordDecision({
      rule: missedJobRule,
      jobId: heard.jobId,
      attemptId: null,
      runnerId: null,
      facts: { forgeJob: { known: true, value: word, readAt: await ledger.now(), source: 'forge' } },
      actions: [{ kind: 'hear', word }],
    })
    await ledger.recordOutcome(id, 'hear: new')
    deps.metrics.count('holdfast_decisions_total', { rule: missedJobRule })
    deps.log.warn(
      { job: heard.jobId, repository: word.job.repository },
      'a queued job was unknown here: its webhook was lost',
    )
  }
  return done
}
