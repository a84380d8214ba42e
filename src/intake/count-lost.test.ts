import { describe, expect, it } from 'vitest'
import { createMemoryLedger } from '../../sim/world/ledger/index.ts'
import { createRandom } from '../../sim/world/random.ts'
import { recordedLog } from '../../test/support/machine.ts'
import { aJob } from '../../test/support/rows.ts'
import type { Job } from '../domain/job/index.ts'
import type { JobEvent } from '../domain/job-event/index.ts'
import type { ApplyResult } from '../ports/ledger.ts'
import { countLost } from './count-lost.ts'

const event = { job: { installation: 'sim', forgeJobId: 1 } } as JobEvent
const lost = { kind: 'changed', jobId: 1, isLost: true } as const

const memory = () => createMemoryLedger({ clock: { now: () => 0 }, entropy: createRandom(1) })

/** The number of jobs that were counted, and of reads of the ledger. */
async function counted(result: ApplyResult, state: Job['state']) {
  let [count, asked] = [0, 0]
  const ledger = {
    ...memory(),
    findJob: async () => {
      asked += 1
      return aJob({ state, pool: 'linux' })
    },
  }
  const metrics = {
    count() {
      count += 1
    },
  }
  await countLost(event, result, { ledger, metrics, log: recordedLog() })
  return { count, asked }
}

describe('jobs that a job event makes lost', () => {
  it('are counted where this very event made them lost', async () => {
    expect(await counted(lost, 'lost')).toEqual({ count: 1, asked: 1 })
    expect(await counted({ ...lost, kind: 'new' }, 'lost')).toEqual({ count: 1, asked: 1 })
  })

  it('are not counted where another event ended them or a death made them lost since, and cost no read', async () => {
    const none = { count: 0, asked: 0 }
    expect(await counted({ kind: 'changed', jobId: 1 }, 'lost')).toEqual(none)
    expect(await counted({ kind: 'nothing', jobId: 1 }, 'lost')).toEqual(none)
    expect(await counted({ kind: 'foreign' }, 'lost')).toEqual(none)
  })

  it('are logged as unknown where the ledger does not answer: the event counts as applied', async () => {
    const log = recordedLog()
    const ledger = { ...memory(), findJob: () => Promise.reject(new Error('a test')) }
    await countLost(event, lost, { ledger, metrics: { count: expect.unreachable }, log })
    expect(log.lines).toMatchObject([{ message: expect.stringContaining('not counted') }])
  })
})
