import type { AssignedJob, ForgeClient } from './client.ts'
import { createLogSender } from './log-sender.ts'
import { startScript } from './script.ts'

/** A stop must not wait for a forge that does not answer. */
const cancelledReportMsMax = 2_000

export interface JobSurroundings {
  readonly client: ForgeClient
  readonly runnerName: string
  readonly workFolder: string
  /** Lines that stand in the job's log before its own. */
  readonly setup: readonly string[]
  readonly renewEveryMs: number
  readonly say: (line: string) => void
  /** Aborted when the runner is asked to stop. */
  readonly stopping: AbortSignal
}

export type JobEnd = 'completed' | 'lost' | 'stopped'

/** Runs one job to its end: by its script, by the forge's word that it is not ours any more, or by a stop. */
export async function runJob(job: AssignedJob, surroundings: JobSurroundings): Promise<JobEnd> {
  const { client, renewEveryMs, say, stopping, runnerName, workFolder } = surroundings
  const log = createLogSender(client, job.id)
  say(`Running job: ${job.name}`)
  const print = (line: string): void => {
    say(line)
    log.add(line)
  }
  for (const line of surroundings.setup) print(line)
  const script = startScript(job, runnerName, workFolder, print)
  const lost = new AbortController()
  let renewing: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    renewing = client.renew(job.id).then((outcome) => {
      if (outcome === 'lost' || outcome === 'cancelled') lost.abort(outcome)
    })
  }, renewEveryMs)

  const interrupted = once(AbortSignal.any([stopping, lost.signal]))
  const conclusion = await Promise.race([script.conclusion, interrupted])
  if (conclusion === 'interrupted') await script.stop()
  clearInterval(timer)
  await Promise.all([renewing, stopping.aborted ? null : log.end()])

  if (lost.signal.reason === 'cancelled') {
    await client.complete(job.id, 'cancelled', cancelledReportMsMax)
    say(`Job ${job.name} completed with result: Canceled`)
    return 'completed'
  }
  if (lost.signal.aborted) {
    say(`Job ${job.name} is not assigned to this runner any more; its script was ended.`)
    return 'lost'
  }
  if (conclusion === 'interrupted') {
    await client.complete(job.id, 'cancelled', cancelledReportMsMax)
    say(`Job ${job.name} completed with result: Canceled`)
    return 'stopped'
  }
  const reported = await client.complete(job.id, conclusion)
  say(`Job ${job.name} completed with result: ${conclusion === 'success' ? 'Succeeded' : 'Failed'}`)
  if (reported !== 'completed') say(`The forge did not take the result: ${reported}.`)
  return reported === 'lost' ? 'lost' : 'completed'
}

function once(signal: AbortSignal): Promise<'interrupted'> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve('interrupted')
    signal.addEventListener('abort', () => resolve('interrupted'), { once: true })
  })
}
