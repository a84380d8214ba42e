import { giteaIdStep } from '../../domain/forge/index.ts'
import type { Instant } from '../../domain/time.ts'
import { wasGiven } from './job-event.ts'
import type { GiteaJob } from './schemas.ts'
import type { Counting } from './version.ts'

const timesMax = Math.floor(Number.MAX_SAFE_INTEGER / giteaIdStep)
const rememberedMax = 10_000

type Counted = Pick<GiteaJob, 'id' | 'run_attempt' | 'runner_id' | 'status'>

/** The number under which the ledger knows a job, and the attempt of its run. */
interface Numbered {
  readonly forgeJobId: number
  readonly runAttempt: number
}

/** Maps jobs of Gitea to the ledger's numbers. */
export interface Numbers {
  /** Null while it is unknown how this Gitea counts: a guess would make two jobs of one. */
  of(job: Counted): Numbered | null
  /** The same for a job in a list that was requested at this time; asks the ledger where Gitea's answer is ambiguous. */
  ofListed(job: Counted, counting: Counting, askedAt: Instant): Promise<Numbered>
}

/**
 * From 1.27 on a job has an id for each attempt, and its number is that id. Before, Gitea counts an attempt when a runner
 * gets the job. A job that ended before any runner had it, and is rerun, looks as it did the first time: only earlier
 * observations, here or in the ledger, show that it is the second.
 * `endedBefore` asks whether the ledger ended the job of this number before a time.
 */
export function createNumbers(
  endedBefore: (forgeJobId: number, at: Instant) => Promise<boolean>,
  counting: () => Counting | null,
): Numbers {
  const uncounted = new Map<number, { missed: number; ended: number }>()
  const recall = (id: number) => uncounted.get(id) ?? { missed: 0, ended: 0 }
  const remember = (id: number, what: { missed: number; ended: number }): void => {
    uncounted.delete(id)
    uncounted.set(id, what)
    const [oldest] = uncounted.keys()
    if (uncounted.size > rememberedMax && oldest !== undefined) uncounted.delete(oldest)
  }
  const timeOf = (job: Counted): number => {
    const { missed, ended } = recall(job.id)
    const time = countedTime(job) + missed
    if (wasGiven(job)) return time
    if (job.status === 'completed') remember(job.id, { missed, ended: time })
    if (job.status === 'completed' || time > ended) return time
    remember(job.id, { missed: missed + ended + 1 - time, ended })
    return ended + 1
  }
  return {
    of(job) {
      const how = counting()
      if (how === null) return null
      return how === 'attempt' ? ownId(job) : numbered(job.id, timeOf(job))
    },
    async ofListed(job, how, askedAt) {
      if (how === 'attempt') return ownId(job)
      let time = timeOf(job)
      if (job.status !== 'queued') return numbered(job.id, time)
      while (time < timesMax && (await endedBefore(numberOf(job.id, time), askedAt))) time += 1
      const missed = time - countedTime(job)
      if (missed > 0) remember(job.id, { ...recall(job.id), missed })
      return numbered(job.id, time)
    },
  }
}

function ownId({ id, run_attempt }: Counted): Numbered {
  return { forgeJobId: id, runAttempt: Math.max(run_attempt, 1) }
}

function numbered(id: number, time: number): Numbered {
  return { forgeJobId: numberOf(id, time), runAttempt: time }
}

/** The attempt by Gitea's count: a job that waits for a runner counts as its next attempt. */
export function countedTime(job: Pick<GiteaJob, 'run_attempt' | 'runner_id'>): number {
  return wasGiven(job) ? Math.max(job.run_attempt, 1) : job.run_attempt + 1
}

/** Splits a number into Gitea's own id and the attempt. */
export function takeApart(forgeJobId: number): { readonly id: number; readonly time: number } {
  return { id: forgeJobId % giteaIdStep, time: Math.floor(forgeJobId / giteaIdStep) + 1 }
}

function numberOf(id: number, time: number): number {
  return (Math.min(time, timesMax) - 1) * giteaIdStep + id
}
