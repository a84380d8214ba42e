import { type Pool, poolDefaults } from '../../src/domain/pool/index.ts'
import { recentJob } from './knowledge.ts'
import type { Operation } from './operation.ts'

const operator = { source: 'operator' } as const

function aPool(name: string, labels: readonly string[], fairness: Partial<Pool['fairness']> = {}): Pool {
  return {
    ...poolDefaults,
    name,
    labels,
    minWarm: 0,
    maxRunners: 1_000,
    priorities: [],
    fairness: { weights: {}, capPerRepository: null, capPerOwner: null, ageingMs: 2_000, ...fairness },
  }
}

const linux = aPool('linux', ['self-hosted'])
const big = aPool('big', ['self-hosted', 'big'])
const small = aPool('small', ['self-hosted', 'small'])

/** The pools that people declare, one set after the other; the first has them all. */
export const poolSets: readonly (readonly Pool[])[] = [
  [linux, big, small],
  [linux, big],
  [linux],
  [big],
  [aPool('linux', ['self-hosted'], { capPerRepository: 3 }), big],
  // The label of one pool is the other's now.
  [linux, aPool('big', ['self-hosted', 'small']), aPool('small', ['self-hosted', 'big'])],
]

/** Operations of people and time: pools, requeues, quarantines, the archive. */
export const keepingOperations: readonly Operation[] = [
  {
    name: 'pools put',
    weight: 0.5,
    async run(ledger, _, draw) {
      const set = draw.below(poolSets.length)
      return `set ${set}: ${await ledger.putPools(poolSets[set] ?? [], operator)}`
    },
  },
  onJob('closed', 0.5, (ledger, id) => ledger.closeJob(id, 'gone', operator)),
  onJob('requeued', 2, (ledger, id) => ledger.requeueJob(id, operator)),
  onJob('released', 2, (ledger, id) => ledger.release(id, operator)),
  onJob('read', 2, async (ledger, id) => {
    const file = await ledger.jobFile(id)
    return file === null ? 'unknown' : `${file.job.state}, archived: ${file.archived}`
  }),
  {
    name: 'archived',
    weight: 3,
    run: async (ledger, _, draw) => `${await ledger.archive(draw.pick([0, 0, 200]), draw.pick([3, 50]))}`,
  },
  {
    // A purged job is new when the forge reports it again: no event here is about a job so old.
    name: 'purged',
    weight: 0.5,
    run: async (ledger) => `${await ledger.purge(60_000, 50)}`,
  },
  {
    name: 'counted',
    weight: 1,
    run: async (ledger) => `${(await ledger.counts()).length} pools`,
  },
]

function onJob(
  name: string,
  weight: number,
  act: (ledger: Parameters<Operation['run']>[0], jobId: number) => Promise<string>,
): Operation {
  return {
    name,
    weight,
    async run(ledger, known, draw) {
      const jobId = known.jobIds.get(recentJob(known, draw))
      return jobId === undefined ? 'no such job yet' : `job ${jobId}: ${await act(ledger, jobId)}`
    },
  }
}
