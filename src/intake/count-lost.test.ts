import { describe, expect, it } from 'vitest'
import { recordedLog } from '../../test/support/machine.ts'
import { aJob } from '../../test/support/rows.ts'
import type { ForgeWord } from '../domain/binding/index.ts'
import type { Job } from '../domain/job/index.ts'
import { countLost } from './count-lost.ts'

const word = (conclusion: string) =>
  ({ job: { installation: 'sim', forgeJobId: 1 }, status: 'completed', conclusion }) as ForgeWord
const changed = { kind: 'changed', jobId: 1 } as const

/** How many were counted, and whether the ledger was asked. */
async function counted(state: Job['state'], said: ForgeWord) {
  let [count, asked] = [0, 0]
  const ledger = {
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
  await countLost(said, changed, { ledger, metrics, log: recordedLog() })
  return { count, asked }
}

describe('jobs that are lost by the word of the forge', () => {
  it('are counted where the ledger has the death of their runner', async () => {
    expect(await counted('lost', word('failure'))).toEqual({ count: 1, asked: 1 })
  })

  it('are not those that failed by themselves, and good ends cost no question', async () => {
    expect(await counted('completed', word('failure'))).toEqual({ count: 0, asked: 1 })
    expect(await counted('completed', word('success'))).toEqual({ count: 0, asked: 0 })
  })

  it('are told in the log where the ledger does not say: nobody takes the word for one that was not heard', async () => {
    const log = recordedLog()
    const ledger = { findJob: () => Promise.reject(new Error('a test')) }
    await countLost(word('failure'), changed, { ledger, metrics: { count: expect.unreachable }, log })
    expect(log.lines).toMatchObject([{ message: expect.stringContaining('not counted') }])
  })
})
