import type { ForgeCore } from '../forge/core/index.ts'
import type { History } from './history.ts'
import type { Random } from './random.ts'
import type { RunnerWorld } from './runner.ts'
import type { Scheduler } from './scheduler.ts'

export const repositories = ['acme/web', 'acme/api', 'umbrella/lab'] as const
const jobsMax = 10
const submittedWithinMs = 8 * 60_000
const durationMaxMs = 4 * 60_000
const pushesMax = 8

export interface Workload {
  readonly workOf: RunnerWorld['workOf']
  /** Somebody pushes in this very moment; not for ever. */
  push(): void
  /** Whether everything was submitted. */
  done(): boolean
}

/** Developers: they push at odd times, and sometimes cancel what waits or runs. */
export function createWorkload(
  random: Random,
  core: ForgeCore,
  scheduler: Scheduler,
  history: History,
  forkOf: (repository: string) => { readonly fork?: string },
): Workload {
  const works = new Map<number, ReturnType<Workload['workOf']>>()
  const count = 2 + random.below(jobsMax - 1)
  let submitted = 0
  for (let n = 0; n < count; n += 1) {
    scheduler.after(random.between(0, submittedWithinMs), () => {
      const repository = random.pick(repositories)
      const job = { name: `job ${n}`, labels: ['self-hosted'], script: 'simulated' }
      const after = { ...job, name: `after ${n}`, needs: [job.name], when: 'always' as const }
      const jobs = random.chance(0.25) ? [job, after] : [job]
      const fork = forkOf(repository)
      const { jobIds } = core.submit({ repository, workflow: 'ci', jobs, ...fork }, scheduler.now())
      const id = jobIds[0] as number
      submitted += 1
      works.set(id, {
        durationMs: random.between(1_000, durationMaxMs),
        conclusion: random.chance(0.2) ? 'failure' : 'success',
      })
      history.note('developer', `submits job ${id} to ${repository}${fork.fork ? ` from ${fork.fork}` : ''}`)
      if (!random.chance(0.1)) return
      scheduler.after(random.between(0, durationMaxMs), () => {
        history.note('developer', `cancels job ${id}: ${core.cancel(id, scheduler.now())}`)
      })
    })
  }
  let pushes = 0
  return {
    push() {
      if (++pushes > pushesMax) return
      const job = { name: `push ${pushes}`, labels: ['self-hosted'], script: 'simulated' }
      const order = { repository: repositories[pushes % repositories.length] as string, workflow: 'ci' }
      const { jobIds } = core.submit({ ...order, ...forkOf(order.repository), jobs: [job] }, scheduler.now())
      const id = jobIds[0] as number
      works.set(id, { durationMs: durationMaxMs / 4, conclusion: 'success' })
      history.note('developer', `pushes job ${id} to ${order.repository}`)
    },
    done: () => submitted === count,
    workOf: (forgeJobId) => works.get(forgeJobId) ?? { durationMs: 1_000, conclusion: 'success' },
  }
}
