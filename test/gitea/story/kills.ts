import { setTimeout as sleep } from 'node:timers/promises'
import type { GiteaJob } from '../people.ts'
import { jobFile } from './compare.ts'
import { cancelForgottenRuns } from './forgotten.ts'
import { repositories, type Scene, soonMs } from './scene.ts'
import { until } from './until.ts'

/** Longer than Gitea waits for a sign of life of a task in this test. */
const longOutageMs = 10_000
const shortOutageMs = 1_500

/** From outside, and by the job itself. */
export async function killRunners(scene: Scene): Promise<void> {
  const { push, runs, ends } = scene
  const [doomed] = (await push('acme/web', 'doomed')) as [GiteaJob]
  const [suicide] = (await push('acme/api', 'suicide')) as [GiteaJob]
  process.kill(await runs(doomed), 'SIGKILL')
  await ends('acme/web', doomed, 'failure')
  await ends('acme/api', suicide, 'failure')
  await deathOf(doomed, scene)
  await deathOf(suicide, scene)
}

async function deathOf(job: GiteaJob, { holdfast }: Scene): Promise<void> {
  await until(`${job.name} is over here, with a death record`, soonMs, async () => {
    const file = await jobFile(holdfast.url, job.id)
    if (file === null || file.job.outcome === null || file.death === null) return false
    const { signal, exitCode } = file.death
    if (signal === 'SIGKILL' || exitCode === 137)
      return file.evidence.some((each) => each.kind === 'runner-death')
    throw new Error(`its death record says ${JSON.stringify(file.death)}`)
  })
}

export async function loseWebhooks({ hooks, push, ends }: Scene): Promise<void> {
  hooks.isCut = true
  const jobs = [...(await push('acme/web', 'quick')), ...(await push('acme/web', 'needs'))]
  for (const job of jobs) await ends('acme/web', job, 'success')
  hooks.isCut = false
  if (hooks.tally.dropped === 0) throw new Error('no webhook was dropped')
}

/** While a job runs, and others come. */
export async function killHoldfast({ holdfast, push, runs, ends }: Scene): Promise<void> {
  const [steady] = (await push('acme/site', 'steady')) as [GiteaJob]
  await runs(steady)
  await holdfast.kill()
  const needs = await push('acme/api', 'needs')
  const quick = await push('acme/web', 'quick')
  await sleep(shortOutageMs)
  await holdfast.start()
  await ends('acme/site', steady, 'success')
  for (const job of needs) await ends('acme/api', job, 'success')
  for (const job of quick) await ends('acme/web', job, 'success')
}

/** Jobs go on, and no line of their logs is lost. */
export async function killGiteaShortly({ server, push, runs, ends, log }: Scene): Promise<void> {
  const [steady] = (await push('acme/api', 'steady')) as [GiteaJob]
  await runs(steady)
  await server.kill()
  await sleep(shortOutageMs)
  await server.start()
  await ends('acme/api', steady, 'success')
  const lines = (await log('acme/api', steady)).split('\n').map((line) => line.replace(/^\S+ /, ''))
  const numbers = lines.filter((line) => /^\d+$/.test(line)).join()
  if (numbers !== '1,2,3,4,5,6,7,8,9,10,11,12') throw new Error(`the log has ${numbers}`)
}

/** When it comes back it takes every job that ran for dead. */
export async function killGiteaForLong({ server, push, runs, ends }: Scene): Promise<void> {
  const [outage] = (await push('acme/web', 'outage')) as [GiteaJob]
  await runs(outage)
  await server.kill()
  await sleep(longOutageMs)
  await server.start()
  await ends('acme/web', outage, 'failure')
}

/** In the middle of everything. Runs that Gitea itself forgets by it are cancelled, as a person would, and printed. */
export async function killBoth({ holdfast, server, push, people }: Scene): Promise<void> {
  for (const repository of repositories) {
    await push(repository, 'quick')
    await push(repository, 'needs')
  }
  await Promise.all([holdfast.kill(), server.kill()])
  await Promise.all([server.start(), holdfast.start()])
  for (const job of await cancelForgottenRuns(people, repositories)) {
    console.log(`  Gitea was killed before it released ${job}: cancelled`)
  }
}

/** Every runner was registered for one job; those that never got one were taken away again. */
export async function noRegistrationIsLeft({ people }: Scene): Promise<void> {
  let left: readonly string[] = []
  const path = '/admin/actions/runners'
  await until('no runner is registered', soonMs, async () => {
    const { runners } = await people.call<{ runners: { name: string }[] }>('GET', path)
    left = runners.map(({ name }) => name)
    return left.length === 0
  }).catch(() => {
    throw new Error(`still registered: ${left.join(', ')}`)
  })
}
