import type { StartProblem } from '../../../domain/pool/index.ts'
import type { HostedRunner, RunnerHost } from '../../../ports/runner-host.ts'
import type { StartProblems } from '../../pool/start-problems.ts'

/**
 * The problems that keep the runners of each pool from starting. A pool is stalled from a start that was given up until one
 * succeeds: meanwhile one at a time is tried, so that a wrong image does not make a pod for every job.
 */
export interface Stalls {
  met(pool: string, problem: StartProblem): void
  gaveUp(pool: string, problem: StartProblem | null): void
  gotGoing(pool: string): void
  /** Resyncs with all runners there are: problems that no runner has any more are over. */
  compare(hosted: readonly HostedRunner[]): void
}

interface StallDeps {
  readonly host: Pick<RunnerHost, 'template'>
  readonly startProblems: StartProblems
}

export function createStalls({ host, startProblems }: StallDeps): Stalls {
  const shown = new Set<string>()
  /** By pool, the template of the runner that was given up: runners of another template may start. */
  const stalled = new Map<string, string | null>()
  /** Pools of which a runner started since the last one was given up: one bad node does not stall a pool. */
  const lately = new Set<string>()

  function clear(pool: string): void {
    startProblems.note(pool, 'boot', null)
    shown.delete(pool)
  }

  function unstall(pool: string): void {
    if (!stalled.delete(pool)) return
    startProblems.stall(pool, false)
    clear(pool)
  }

  return {
    met(pool, problem) {
      shown.add(pool)
      startProblems.note(pool, 'boot', problem)
    },
    gaveUp(pool, problem) {
      if (problem !== null) this.met(pool, problem)
      if (lately.delete(pool)) return
      stalled.set(pool, host.template(pool))
      startProblems.stall(pool, true)
    },
    gotGoing(pool) {
      lately.add(pool)
      unstall(pool)
    },
    compare(hosted) {
      for (const [pool, template] of stalled) if (host.template(pool) !== template) unstall(pool)
      const troubled = new Set(hosted.filter(({ problem }) => problem !== null).map(({ pool }) => pool))
      for (const pool of shown) if (!troubled.has(pool) && !stalled.has(pool)) clear(pool)
    },
  }
}
