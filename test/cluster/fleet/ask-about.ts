import { until } from '../machine/until.ts'
import type { World } from './world.ts'

/** A bound for what never comes: other clusters may keep the machine busy meanwhile. */
const soonMs = 150_000

/** Questions about pools that many tests share. */
export function askAbout(world: World) {
  /** Waits until a pool is degraded for this reason, or for any; gives the condition. */
  function shown(pool: string, reason?: string) {
    return until(`pool ${pool} says ${reason ?? 'what is wrong'}`, soonMs, async () => {
      const { status } = await world.readPool(pool)
      return status?.conditions?.find(
        (one: { type: string; status: string; reason: string }) =>
          one.type === 'Degraded' && one.status === 'True' && (reason ?? one.reason) === one.reason,
      )
    })
  }

  /** Deletes a pool and waits until Holdfast has let it go. */
  async function gone(pool: string): Promise<void> {
    await world.removePool(pool)
    await until(`pool ${pool} is gone`, soonMs, async () => (await world.readPool(pool)).kind === 'Status')
  }

  async function endOf(job: number): Promise<string | null | undefined> {
    return (await world.forge.truth()).jobs.find(({ id }) => id === job)?.conclusion
  }

  /** The name of a runner that waits for a job. */
  async function idle(pool: string): Promise<string> {
    const found = await until(`a runner of ${pool} waits for a job`, soonMs, async () =>
      (await world.rows.runners()).find((row) => row.pool === pool && row.state === 'polling'),
    )
    return found.name
  }

  async function jobRuns(): Promise<void> {
    await until('the job runs', soonMs, async () =>
      (await world.rows.jobs()).some(({ state }) => state === 'running'),
    )
  }

  return { shown, gone, endOf, idle, jobRuns }
}
