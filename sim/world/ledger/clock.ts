import type { Instant } from '../../../src/domain/time.ts'
import type { State } from './state.ts'
import { type Tx, wakeJobs } from './transaction.ts'

/** Clocks are corrected by less all the time. */
const toleratedMs = 2_000

/** Where the clock went back, what was to happen later comes earlier by as much; gives by how much. */
export function noteTime(tx: Tx): number {
  const { state, now } = tx
  const backMs = state.notedAt - now
  state.notedAt = now
  if (backMs <= toleratedMs) return 0
  bringBack(state, (at) => (at > now ? at - backMs : at))
  for (const name of state.pools.keys()) wakeJobs(tx, name)
  return backMs
}

function bringBack(state: State, earlier: (at: Instant) => Instant): void {
  for (const job of state.jobs.values()) {
    if (job.endedAt !== null) continue
    state.jobs.set(job.id, { ...job, notBefore: earlier(job.notBefore), checkAt: earlier(job.checkAt) })
  }
  for (const attempt of state.attempts.values()) {
    if (attempt.endedAt === null)
      state.attempts.set(attempt.id, { ...attempt, checkAt: earlier(attempt.checkAt) })
  }
  for (const runner of state.runners.values()) {
    if (runner.endedAt === null) state.runners.set(runner.id, { ...runner, checkAt: earlier(runner.checkAt) })
  }
  state.holds = state.holds.map((hold) => ({ ...hold, until: earlier(hold.until) }))
  for (const delivery of state.deliveries.values()) {
    if (delivery.state === 'pending')
      state.deliveries.set(delivery.guid, { ...delivery, retryAt: earlier(delivery.retryAt) })
  }
}
