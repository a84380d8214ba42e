import { until } from '../machine/until.ts'
import type { RunnerRow } from './ledger.ts'
import type { World } from './world.ts'

const soonMs = 90_000
const mergePatch = 'application/merge-patch+json'

// biome-ignore lint/suspicious/noExplicitAny: the API server's objects, read by tests
type Pod = any

/** Acts of people and jobs on a pool, and its state as seen from outside. */
export interface Acts {
  /** Submits a job and waits until it runs. */
  running(script: string, pool: string): Promise<{ readonly job: number; readonly runner: RunnerRow }>
  /** How a job ended at the forge. */
  endOf(job: number): Promise<string | null | undefined>
  /** Live runners of a pool in one state. */
  liveOf(pool: string, state: string): Promise<readonly RunnerRow[]>
  /** Waits until exactly so many runners of a pool wait for a job. */
  waiting(pool: string, count: number): Promise<readonly RunnerRow[]>
  pod(name: string): Promise<Pod | undefined>
  podsOf(pool: string): Promise<readonly Pod[]>
  /** Takes a pool away and waits until its object is gone. */
  remove(pool: string): Promise<void>
  /** Takes every pool away, so that the next test begins with nothing. */
  clear(): Promise<void>
  patch(path: string, change: object): Promise<Pod>
}

export function actsIn(world: World): Acts {
  const liveOf: Acts['liveOf'] = async (pool, state) =>
    (await world.rows.runners()).filter((row) => !row.ended && row.pool === pool && row.state === state)
  const podsOf: Acts['podsOf'] = async (pool) =>
    (await world.pods()).filter(({ metadata }) => metadata.labels?.['holdfast.dev/pool'] === pool)
  const remove: Acts['remove'] = async (pool) => {
    await world.removePool(pool)
    await until(`pool ${pool} is gone`, soonMs, async () => (await world.readPool(pool)).kind === 'Status')
  }
  return {
    liveOf,
    podsOf,
    async running(script, pool) {
      const known = new Set((await liveOf(pool, 'busy')).map(({ name }) => name))
      const job = await world.submit(script, pool)
      const runner = await until(`the job runs in ${pool}`, soonMs, async () =>
        (await liveOf(pool, 'busy')).find(({ name }) => !known.has(name)),
      )
      return { job, runner }
    },
    async endOf(job) {
      const { jobs } = await world.forge.truth()
      return jobs.find(({ id }) => id === job)?.conclusion
    },
    waiting: (pool, count) =>
      until(`${count} runners of ${pool} wait`, soonMs, async () => {
        const waiting = await liveOf(pool, 'polling')
        return waiting.length === count && waiting
      }),
    async pod(name) {
      const { status, body } = await world.cluster.api.request('GET', world.at(`pods/${name}`))
      return status === 200 ? body : undefined
    },
    remove,
    async clear() {
      const { items } = (await world.cluster.api.request('GET', world.poolsPath)).body
      await Promise.all(items.map(({ metadata }: Pod) => remove(metadata.name)))
    },
    async patch(path, change) {
      const answer = await world.cluster.api.request('PATCH', path, change, mergePatch)
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`)
      return answer.body
    },
  }
}
