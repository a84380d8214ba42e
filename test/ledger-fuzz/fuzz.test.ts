import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../src/adapters/postgres/connection/index.ts'
import { openLedger } from '../../src/adapters/postgres/ledger/index.ts'
import type { Ledger } from '../../src/ports/ledger.ts'
import { type LedgerBench, ledgerBench } from '../support/ledger.ts'
import { clock, entropy, recordedLog } from '../support/machine.ts'
import { fuzz, operations } from './fuzz.ts'

const durationMs = 15_000
const lookEveryMs = 150
const seed = Math.floor(entropy.fraction() * 1e9)

let bench: LedgerBench
let second: Database
let other: Ledger & AsyncDisposable
beforeAll(async () => {
  bench = await ledgerBench()
  const connection = { url: bench.url, tls: { mode: 'disable' }, log: recordedLog(), clock, entropy } as const
  second = await openDatabase({ ...connection, poolMax: 8 })
  other = await openLedger({ ...connection, database: second })
})
afterAll(async () => {
  await other[Symbol.asyncDispose]()
  await second.close()
  await bench[Symbol.asyncDispose]()
})

describe('two ledgers on one Postgres', () => {
  it(`keep every invariant, whatever is done on them side by side (seed ${seed})`, {
    timeout: 120_000,
  }, async () => {
    const ledgers = [await bench.open(), other]
    const result = await fuzz({ ledgers, database: second, seed, durationMs, lookEveryMs, clock })
    const { violation, history } = result
    expect(violation === null ? null : [violation, ...history]).toBeNull()
    expect([...result.byName.keys()].toSorted()).toEqual(operations.map(({ name }) => name).toSorted())
  })
})
