import { describe, expect, it } from 'vitest'
import { cause, enqueue, linuxPool } from '../../../test/support/ledger-steps.ts'
import { createRandom } from '../random.ts'
import { createMemoryLedger } from './index.ts'

const hourMs = 3_600_000

describe("the twin's clock", () => {
  it('moves future deadlines back with it when it is set back', async () => {
    const { ledger, clock } = createBench()
    await ledger.putPools([linuxPool()], cause)
    const id = await enqueue(ledger, 1)
    await ledger.noteTime()
    const before = ledger.rows.jobs.get(id)?.checkAt ?? 0
    clock.at -= hourMs
    expect(await ledger.noteTime()).toBe(hourMs)
    expect(ledger.rows.jobs.get(id)).toMatchObject({ checkAt: before - hourMs, notBefore: 0 })
  })

  it('moves nothing while it goes on', async () => {
    const { ledger, clock } = createBench()
    await ledger.putPools([linuxPool()], cause)
    const id = await enqueue(ledger, 1)
    await ledger.noteTime()
    const before = ledger.rows.jobs.get(id)
    clock.at += hourMs
    expect(await ledger.noteTime()).toBe(0)
    expect(ledger.rows.jobs.get(id)).toEqual(before)
  })
})

function createBench() {
  const clock = { at: 10 * hourMs }
  const ledger = createMemoryLedger({
    clock: { now: () => clock.at },
    entropy: createRandom(1),
  })
  return { ledger, clock }
}
