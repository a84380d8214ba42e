import { isError } from '../domain/errors/index.ts'
import { reasonOf } from '../domain/reason.ts'
import type { ForgeJobFact } from '../domain/snapshot/index.ts'
import type { Clock } from '../ports/clock.ts'
import type { Forge, ForgeScope } from '../ports/forge.ts'

/** The deadline for asking the forge: less than a client waits for the whole explanation. */
const answerMsMax = 8_000
/** Other attempts that are compared; E6 of the guide has one retry. */
const othersMax = 3

export interface AskedForge {
  readonly forge: Pick<Forge, 'readJob' | 'readJobDetail' | 'readLog' | 'readRunJobs'>
  readonly clock: Pick<Clock, 'after'>
}

/** The forge's facts of a job that is over, and the newest part of its log. */
export interface JobAtForge {
  /** Null where the forge does not know it, or did not answer. */
  readonly job: ForgeJobFact | null
  readonly log: string | null
  /** The other attempts of the same job, with the logs of those that failed. */
  readonly others: readonly { readonly job: ForgeJobFact; readonly log: string | null }[]
  /** Parts that could not be read, each as a sentence. */
  readonly unread: readonly string[]
}

/** Asks the forge about a job that is over. A forge that does not answer leaves that unknown, and stops nothing. */
export async function readJobAtForge(
  { forge, clock }: AskedForge,
  scope: ForgeScope,
  forgeJobId: number,
  signal: AbortSignal,
): Promise<JobAtForge> {
  const overdue = new AbortController()
  const cancel = clock.after(answerMsMax, () =>
    overdue.abort(new Error(`no answer within ${answerMsMax} ms`)),
  )
  const either = AbortSignal.any([signal, overdue.signal])
  const unread: string[] = []
  const tried = async <T>(what: string, asked: Promise<T>): Promise<T | null> => {
    try {
      return await asked
    } catch (error) {
      signal.throwIfAborted()
      if (!isError(error, 'E_FORGE_UNAVAILABLE')) throw error
      unread.push(`${what}: ${reasonOf(error)}`)
      return null
    }
  }
  try {
    const [job, log] = await Promise.all([
      tried("the job's steps at the forge", forge.readJobDetail(scope, forgeJobId, either)),
      tried("the job's log at the forge", forge.readLog(scope, forgeJobId, either)),
    ])
    const isOther = (each: ForgeJobFact) => each.name === job?.name && each.jobId !== job.jobId
    const asked = job && tried('the other attempts of its run', forge.readRunJobs(scope, job.runId, either))
    const attempts = ((await asked) ?? []).filter(isOther).slice(-othersMax)
    const others = await Promise.all(
      attempts.map(async (each) => ({
        job: each,
        log: hasPassed(each)
          ? null
          : await tried(`the log of attempt ${each.runAttempt}`, forge.readLog(scope, each.jobId, either)),
      })),
    )
    return { job, log, others, unread }
  } finally {
    cancel()
  }
}

/** A log explains a failure; that of a pass is not read. */
function hasPassed({ status, conclusion }: ForgeJobFact): boolean {
  return status !== 'completed' || conclusion === 'success' || conclusion === 'skipped'
}
