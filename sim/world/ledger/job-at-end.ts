import { endKinds, eventKinds, type JobAtEnd, jobAtEndOf } from '../../../src/domain/death/index.ts'
import type { Job } from '../../../src/domain/job/index.ts'
import type { Instant } from '../../../src/domain/time.ts'
import { filter, type State } from './state.ts'
import { mustRead } from './unreadable.ts'

/** The runner's newest attempt and its job, with what the forge last said of it. */
export function jobAtEnd(state: State, runnerId: number): JobAtEnd | null {
  const attempt = filter(state.attempts, (each) => each.runnerId === runnerId).at(-1)
  const job = state.jobs.get(attempt?.jobId ?? 0)
  if (attempt === undefined || job === undefined) return null
  mustRead(state, { attempt, job })
  const eventAt = newestOf(state, job, eventKinds)
  return jobAtEndOf(attempt, job, { eventAt, endAt: newestOf(state, job, endKinds) })
}

function newestOf(state: State, job: Job, kinds: readonly string[]): Instant | null {
  const isOf = (row: State['timeline'][number]) => row.subject === 'job' && row.jobId === job.id
  return state.timeline.findLast((row) => isOf(row) && kinds.includes(row.kind))?.at ?? null
}
