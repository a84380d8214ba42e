import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type LedgerBench, ledgerBench } from '../../../../test/support/ledger.ts'
import { cause, die, idleRunner, linuxPool } from '../../../../test/support/ledger-steps.ts'
import { classifyDeath } from '../../../domain/death/index.ts'
import type { Ledger } from '../../../ports/ledger.ts'
import { sql } from '../connection/index.ts'
import { storeEvidence } from './plan/store-evidence.ts'

let bench: LedgerBench
let ledger: Ledger
beforeAll(async () => {
  bench = await ledgerBench()
})
afterAll(() => bench[Symbol.asyncDispose]())
beforeEach(async () => {
  await bench.empty()
  ledger = await bench.open()
  await ledger.putPools([linuxPool()], cause)
})

/** A transaction that has sealed a death and has not ended. */
async function beginSealing(runnerId: number) {
  const sealed = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const ended = bench.database.transaction(async (tx) => {
    const death = { kind: 'runner-death', runnerId, record: classifyDeath(null) } as const
    const id = (await storeEvidence(tx, [death]))(death)
    await tx.query(sql`
      update runners set state = 'ended', ended_at = now(), evidence_id = ${id} where id = ${runnerId}`)
    sealed.resolve()
    await gate.promise
  })
  await Promise.race([sealed.promise, ended])
  return {
    async commit() {
      gate.resolve()
      await ended
    },
    async rollBack() {
      gate.reject(new Error('no'))
      await ended.catch(() => {})
    },
  }
}

const found = async (after = 0) => (await ledger.deathsAfter(after, 100)).map(({ runnerId }) => runnerId)

describe('deaths in the order of their numbers', () => {
  it('wait for a smaller number whose transaction has not ended, and never miss it', async () => {
    const [before, slow, fast] = [
      await idleRunner(ledger),
      await idleRunner(ledger),
      await idleRunner(ledger),
    ]
    await die(ledger, before.id)
    const sealing = await beginSealing(slow.id)
    await die(ledger, fast.id)
    expect(await found()).toEqual([before.id])
    await sealing.commit()
    expect(await found()).toEqual([before.id, slow.id, fast.id])
  })

  it('go on after a smaller number that will never be', async () => {
    const [slow, fast] = [await idleRunner(ledger), await idleRunner(ledger)]
    const sealing = await beginSealing(slow.id)
    await die(ledger, fast.id)
    expect(await found()).toEqual([])
    await sealing.rollBack()
    expect(await found()).toEqual([fast.id])
  })

  it('do not keep a death from being sealed meanwhile', async () => {
    const [slow, fast] = [await idleRunner(ledger), await idleRunner(ledger)]
    const sealing = await beginSealing(slow.id)
    expect(await ledger.sealDeath(fast.id, classifyDeath(null), 'x', cause)).toBe('sealed')
    await sealing.commit()
  })

  it('are all there for a reader that goes on from the last, while many are sealed at once', async () => {
    const runners = await Promise.all(Array.from({ length: 120 }, () => idleRunner(ledger)))
    const sealing = Promise.all(runners.map(({ id }) => die(ledger, id)))
    let isOver = false
    void sealing.then(() => {
      isOver = true
    })
    const read: number[] = []
    let last = 0
    for (let wasOver = false; !wasOver; ) {
      wasOver = isOver
      const batch = await ledger.deathsAfter(last, 7)
      read.push(...batch.map(({ runnerId }) => runnerId))
      last = batch.at(-1)?.id ?? last
      if (batch.length > 0) wasOver = false
    }
    await sealing
    expect(read.toSorted((a, b) => a - b)).toEqual(runners.map(({ id }) => id).toSorted((a, b) => a - b))
  })
})
