import type { GiteaJob } from '../people.ts'
import { jobFile, ledgerNumber } from './compare.ts'
import { type Scene, soonMs } from './scene.ts'
import { until } from './until.ts'

/** Jobs with needs, a matrix, failures and refusals. */
export async function runWorkflows(scene: Scene): Promise<void> {
  const { push, ends } = scene
  const needs = await push('acme/web', 'needs')
  const matrix = await push('acme/api', 'matrix')
  const failing = await push('acme/site', 'failing')
  const refused = await push('acme/site', 'refused')
  for (const job of needs) await ends('acme/web', job, 'success')
  for (const job of matrix) await ends('acme/api', job, 'success')
  const conclusions: Readonly<Record<string, string>> = {
    fails: 'failure',
    after: 'skipped',
    always: 'success',
  }
  for (const job of failing) await ends('acme/site', job, conclusions[job.name] ?? '')
  for (const job of refused) {
    await ends('acme/site', job, 'failure')
    const log = await scene.log('acme/site', job)
    if (!/does not do that: steps\[0\]: uses/.test(log)) throw new Error(`the log does not say why: ${log}`)
  }
}

export async function hideSecrets({ people, push, ends, log }: Scene): Promise<void> {
  await people.call('PUT', '/repos/acme/web/actions/secrets/WORD', { data: 'secret-word' })
  for (const job of await push('acme/web', 'masked')) {
    await ends('acme/web', job, 'success')
    const text = await log('acme/web', job)
    if (/hidden-word|secret-word/.test(text) || !/it is \*\*\*/.test(text)) throw new Error(text)
  }
}

/** A person cancels a run that runs. */
export async function cancelRunning({ people, holdfast, push, runs, known }: Scene): Promise<void> {
  const jobs = await push('acme/web', 'cancelled')
  const stays = jobs.find(({ name }) => name === 'stays') as GiteaJob
  await runs(stays)
  await people.cancelRun('acme/web', stays.run_id)
  await known(stays, 'cancelled')
  await until('its runner has ended', soonMs, async () => {
    const file = await jobFile(holdfast.url, stays.id)
    return file !== null && file.death !== null
  })
}

/** A failed job is run again: another job in the ledger, and up to 1.26 the same one at Gitea. */
export async function runAgain({ people, holdfast, push, ends, now }: Scene): Promise<void> {
  const jobs = await push('acme/api', 'failing')
  const fails = jobs.find(({ name }) => name === 'fails') as GiteaJob
  await ends('acme/api', fails, 'failure')
  const run = `/repos/acme/api/actions/runs/${fails.run_id}`
  await until('its run is over', soonMs, async () => {
    const { status } = await people.call<{ status: string }>('GET', run)
    return status === 'completed'
  })
  await people.call('POST', `${run}/rerun-failed-jobs`)
  await until('it ran twice, and the ledger has both', soonMs, async () => {
    const job = await now('acme/api', fails)
    if (job.status !== 'completed' || job.run_attempt !== 2) return false
    const first = await jobFile(holdfast.url, fails.id)
    const second = await jobFile(holdfast.url, ledgerNumber(job, people))
    return [first, second].every((file) => file?.job.outcome === 'failure') && second?.job.runAttempt === 2
  })
}

/** A restart loses the memory of a job that was cancelled before any runner had it; the ledger keeps it. */
export async function runAgainWhatNeverRan(scene: Scene): Promise<void> {
  const { people, holdfast, push, ends, now, known } = scene
  const crowd = await push('acme/site', 'crowd')
  await until('all runners are taken', soonMs, async () => {
    const jobs = await Promise.all(crowd.map((job) => now('acme/site', job)))
    return jobs.every(({ status }) => status === 'in_progress')
  })
  const waiting = await push('acme/web', 'quick')
  for (const job of waiting) await known(job, null)
  const runId = (waiting[0] as GiteaJob).run_id
  await people.cancelRun('acme/web', runId)
  for (const job of waiting) await known(job, 'cancelled')
  await holdfast.kill()
  await people.cancelRun('acme/site', (crowd[0] as GiteaJob).run_id)
  await people.call('POST', `/repos/acme/web/actions/runs/${runId}/rerun`)
  await holdfast.start()
  for (const job of waiting) await ends('acme/web', job, 'success')
}
