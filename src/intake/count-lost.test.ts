import { describe, expect, it } from 'vitest'
import { recordedLog } from '../../test/support/machine.ts'
import { aJob } from '../../test/support/rows.ts'
import type { ForgeWord } from '../domain/binding/index.ts'
import type { Job } from '../domain/job/index.ts'
import type { Heard } from '../ports/ledger.ts'
import { countLost } from './count-lost.ts'

const word = { job: { installation: 'sim', forgeJobId: 1 } } as ForgeWord
const lost = { kind: 'changed', jobId: 1, isLost: true } as const

/** How many were counted, and whether the ledger was asked. */
async function counted(heard: Heard, state: Job['state']) {
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
  await countLost(word, heard, { ledger, metrics, log: recordedLog() })
  return { count, asked }
}

describe('jobs that are lost by the word of the forge', () => {
  it('are counted where this very word made them so', async () => {
    expect(await counted(lost, 'lost')).toEqual({ count: 1, asked: 1 })
    expect(await counted({ ...lost, kind: 'new' }, 'lost')).toEqual({ count: 1, asked: 1 })
  })

  it('are not those that another ended or a death made lost since, and cost no question', async () => {
    const none = { count: 0, asked: 0 }
    expect(await counted({ kind: 'changed', jobId: 1 }, 'lost')).toEqual(none)
    expect(await counted({ kind: 'nothing', jobId: 1 }, 'lost')).toEqual(none)
    expect(await counted({ kind: 'foreign' }, 'lost')).toEqual(none)
  })

  it('are told in the log where the ledger does not say: nobody takes the word for one that was not heard', async () => {
    const log = recordedLog()
    const ledger = { findJob: () => Promise.reject(new Error('a test')) }
    await countLost(word, lost, { ledger, metrics: { count: expect.unreachable }, log })
    expect(log.lines).toMatchObject([{ message: expect.stringContaining('not counted') }])
  })
})
