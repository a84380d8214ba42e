import { describe, expect, it } from 'vitest'
import { cause, createControlBench, exited } from '../../test/support/control-bench.ts'
import { classifyDeath } from '../domain/death/index.ts'
import { createRedactor, REDACTED } from '../domain/redact/index.ts'
import { maskedLedger } from './masked-ledger.ts'

describe('a masked ledger', () => {
  it("stores no death with what the user's patterns name, and leaves the words of rules alone", async () => {
    const bench = await createControlBench()
    const redactor = createRedactor({
      patterns: ['ACME-\\d+', 'sigkill-unknown'],
      values: ['a-known-secret'],
    })
    const ledger = maskedLedger(bench.ledger, redactor)
    const given = {
      name: 'linux-1',
      pool: 'linux',
      host: 'host-1',
      identityHash: null,
      bootDeadlineMs: 1_000,
    }
    const runner = await ledger.enrol(given, cause)
    const tail = 'ACME-1234 and a-known-secret stay here'
    await ledger.sealDeath(runner.id, classifyDeath({ ...exited, tail, missing: ['ACME-7'] }), 'x', cause)
    const [sealed] = await ledger.deathsAfter(0, 1)
    expect(sealed?.record).toMatchObject({
      class: 'sigkill-unknown',
      ending: { exitCode: 137, tail: `${REDACTED} and ${REDACTED} stay here`, missing: [REDACTED] },
    })
  })
})
