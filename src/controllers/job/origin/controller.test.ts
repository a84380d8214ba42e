import { describe, expect, it } from 'vitest'
import {
  type ControlBench,
  cause,
  createControlBench,
  never,
} from '../../../../test/support/control-bench.ts'
import { aPool } from '../../../../test/support/rows.ts'
import type { JobEvent } from '../../../domain/job-event/index.ts'
import { originLoop } from './index.ts'

const labels = ['self-hosted', 'linux']

/** A bench whose pool takes public repositories and, as by default, no forks of them. */
async function createBench(forks: 'allow' | 'privateOnly' = 'privateOnly') {
  const bench = await createControlBench()
  await bench.ledger.putPools([aPool({ publicRepositories: 'allow', forks })], cause)
  const requested: number[] = []
  const readOrigin: ControlBench['forge']['readOrigin'] = (scope, runId, signal) => {
    requested.push(runId)
    return bench.forge.readOrigin(scope, runId, signal)
  }
  const loop = originLoop({ ...bench, forge: { readOrigin } })
  bench.core.accounts.putRepository('acme/oss', true)
  const listed = async () => {
    const requested = { installation: bench.installation, since: 0, settledRuns: new Set<number>() }
    return (await bench.forge.listJobs(requested, never)).events
  }
  /** A run of two jobs, announced by a webhook that does not say whether it is from a fork. */
  const push = async (fork?: string) => {
    const jobs = ['test', 'lint'].map((name) => ({ name, labels, script: 'true' }))
    const run = { repository: 'acme/oss', workflow: 'ci', jobs, ...(fork !== undefined && { fork }) }
    const { runId, jobIds } = bench.core.submit(run, bench.clock.now())
    for (const event of await listed()) await bench.ledger.applyJobEvent(event, { source: 'webhook' })
    const known = await Promise.all(jobIds.map((id) => bench.ledger.findJob(bench.installation, id)))
    return { runId, ids: known.map((job) => job?.id ?? 0) }
  }
  const poolsOf = (ids: readonly number[]) =>
    Promise.all(ids.map(async (id) => (await bench.ledger.jobFile(id))?.job.pool))
  return { ...bench, requested, loop, readOrigin, listed, push, poolsOf, pass: () => loop.pass(never) }
}

describe('the origin of a run', () => {
  it('is read once for all of its jobs, which are then routed to the pool that takes them', async () => {
    const bench = await createBench()
    const { runId, ids } = await bench.push()
    expect(await bench.poolsOf(ids)).toEqual([null, null])
    await bench.pass()
    expect(await bench.poolsOf(ids)).toEqual(['linux', 'linux'])
    await bench.pass()
    expect(bench.requested).toEqual([runId])
  })

  it('is read at once for a job that comes later in the same run, because it needed the others', async () => {
    const bench = await createBench()
    const { runId } = await bench.push()
    await bench.pass()
    const [event] = (await bench.listed()) as [JobEvent]
    const later = { ...event, job: { ...event.job, forgeJobId: 9_001, name: 'release' } }
    await bench.ledger.applyJobEvent(later, { source: 'audit' })
    await bench.pass()
    const job = await bench.ledger.findJob(bench.installation, 9_001)
    expect(job?.pool).toBe('linux')
    expect(bench.requested).toEqual([runId, runId])
  })

  it('that leaves the route open is not read again for a minute', async () => {
    const bench = await createBench()
    const { runId } = await bench.push()
    const requested: number[] = []
    const readOrigin = async () => {
      requested.push(runId)
      return {}
    }
    const loop = originLoop({ ...bench, forge: { readOrigin } })
    await loop.pass(never)
    await loop.pass(never)
    expect(requested).toEqual([runId])
    await bench.advance(60_000)
    await loop.pass(never)
    expect(requested).toEqual([runId, runId])
  })

  it('keeps the jobs of a fork away from a pool that refuses them', async () => {
    const bench = await createBench()
    const { runId, ids } = await bench.push('mallory/oss')
    await bench.pass()
    await bench.pass()
    expect(await bench.poolsOf(ids)).toEqual([null, null])
    expect(bench.requested).toEqual([runId])
  })

  it('is not read where every pool takes forks', async () => {
    const bench = await createBench('allow')
    const { ids } = await bench.push()
    await bench.pass()
    expect(await bench.poolsOf(ids)).toEqual(['linux', 'linux'])
    expect(bench.requested).toEqual([])
  })

  it('is read for other runs where the forge fails for one, which is retried later', async () => {
    const bench = await createBench()
    const [silent, other] = [await bench.push(), await bench.push()]
    let isSilent = true
    const loop = originLoop({
      ...bench,
      forge: {
        readOrigin: async (scope, runId, signal) => {
          if (isSilent && runId === silent.runId) throw new Error('no answer')
          return bench.readOrigin(scope, runId, signal)
        },
      },
    })
    await loop.pass(never)
    expect(await bench.poolsOf([...silent.ids, ...other.ids])).toEqual([null, null, 'linux', 'linux'])
    isSilent = false
    await loop.pass(never)
    expect(await bench.poolsOf(silent.ids)).toEqual([null, null])
    await bench.advance(60_000)
    await loop.pass(never)
    expect(await bench.poolsOf(silent.ids)).toEqual(['linux', 'linux'])
  })

  it('approves no job that waits for an approval', async () => {
    const bench = await createBench()
    const job = { name: 'deploy', labels, script: 'true', environment: 'production' }
    bench.core.submit({ repository: 'acme/oss', workflow: 'ci', jobs: [job] }, bench.clock.now())
    for (const event of await bench.listed()) await bench.ledger.applyJobEvent(event, { source: 'webhook' })
    await bench.pass()
    const { rows } = await bench.ledger.jobs({ standings: ['waits-for-approval'], limit: 5 })
    expect(rows).toMatchObject([{ pool: 'linux', isFork: false }])
  })
})
