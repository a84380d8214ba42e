import type { ForgeCore } from '../forge/core/index.ts'
import type { History } from './history.ts'
import type { Random } from './random.ts'
import type { Scheduler } from './scheduler.ts'
import { repositories } from './workload.ts'

/** Actions of people in a history besides pushes; see `docs/design/github-contract.md` for what the forge makes of it. */
const dutiesMax = 6
const decidedWithinMs = 4 * 60_000
const elsewhereMaxMs = 3 * 60_000
const duties = ['guarded', 'guarded', 'hosted', 'delete', 'delete', 'delete', 'rerun'] as const

export interface People {
  /** Whether everybody has decided. */
  done(): boolean
}

/** They guard environments, use the forge's own runners, delete runs that are over, and run others again. */
export function createPeople(
  random: Random,
  core: ForgeCore,
  scheduler: Scheduler,
  history: History,
  withinMs: number,
  forkOf: (repository: string) => { readonly fork?: string },
): People {
  let open = random.below(dutiesMax + 1)
  const submit = (job: { readonly environment?: string; readonly elsewhereMs?: number }): number => {
    const labels = job.elsewhereMs === undefined ? ['self-hosted'] : []
    const jobs = [{ name: 'of people', labels, script: 'simulated', ...job }]
    const repository = random.pick(repositories)
    const run = { repository, workflow: 'people', jobs, ...forkOf(repository) }
    return core.submit(run, scheduler.now()).runId
  }
  const decide = (runId: number): void => {
    const pending = core.pending(runId).map(({ id }) => id)
    const isApproved = random.chance(0.8)
    core.review(runId, pending, isApproved, scheduler.now())
    history.note('people', `${isApproved ? 'approve' : 'reject'} run ${runId}`)
  }
  const decideLater = (runId: number): void => {
    open += 1
    scheduler.after(random.between(0, decidedWithinMs), () => {
      decide(runId)
      open -= 1
    })
  }
  const someRun = () => {
    const over = core.runs(random.pick(repositories)).filter((run) => run.status === 'completed')
    return over.length === 0 ? null : random.pick(over).id
  }
  const act = (duty: (typeof duties)[number]): void => {
    if (duty === 'guarded') {
      decideLater(submit({ environment: 'production' }))
    } else if (duty === 'hosted') submit({ elsewhereMs: Math.round(random.between(1_000, elsewhereMaxMs)) })
    else {
      const runId = someRun()
      if (runId === null) return
      const now = scheduler.now()
      const outcome = duty === 'delete' ? core.deleteRun(runId, now) : core.rerun(runId, 'failed', now)
      history.note('people', `${duty} run ${runId}: ${outcome}`)
      // A job that needs an approval waits for it again in each attempt.
      if (core.pending(runId).length > 0) decideLater(runId)
    }
  }
  for (let n = open; n > 0; n -= 1) {
    const duty = random.pick(duties)
    scheduler.after(random.between(0, withinMs), () => {
      act(duty)
      open -= 1
    })
  }
  return { done: () => open === 0 }
}
