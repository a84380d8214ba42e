import { describe, expect, it } from 'vitest'
import { cause, createControlBench, exited } from '../../../test/support/control-bench.ts'
import { aJob, aJobEvent } from '../../../test/support/rows.ts'
import { classifyDeath } from '../../domain/death/index.ts'
import { aHostSamples } from '../../domain/death/testing.ts'
import { recoveryBounds } from '../../domain/recovery/index.ts'
import { createRedactor, redacted } from '../../domain/redact/index.ts'
import { redactingLedger } from './redacting-ledger.ts'

describe('a masked ledger', () => {
  it("stores no death with what the user's patterns name, and leaves the words of rules alone", async () => {
    const bench = await createControlBench()
    const redactor = createRedactor({
      patterns: ['ACME-\\d+', 'sigkill-unknown'],
      values: ['a-known-secret'],
    })
    const ledger = redactingLedger(bench.ledger, redactor)
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
      ending: { exitCode: 137, tail: `${redacted} and ${redacted} stay here`, missing: [redacted] },
    })
  })

  it("keeps no line of a kernel with what the user's patterns name, and every number as it was", async () => {
    const bench = await createControlBench()
    const ledger = redactingLedger(bench.ledger, createRedactor({ patterns: ['ACME-\\d+'] }))
    const line = 'Memory cgroup out of memory: Killed process 4711 (ACME-1234) total-vm:9kB'
    const ring = aHostSamples({ oomLines: [{ at: 5, line }], missing: ['ACME-7'] })
    expect(await ledger.putHostSamples(ring)).toBe('kept')
    expect(await ledger.hostSamples({ podUid: ring.podUid, node: ring.node })).toEqual({
      ...ring,
      oomLines: [{ at: 5, line: line.replace('ACME-1234', redacted) }],
      missing: [redacted],
    })
  })

  it('keeps the name of a job without the secrets in it, and its repository as it is', async () => {
    const bench = await createControlBench()
    const ledger = redactingLedger(bench.ledger, createRedactor({ values: ['a-known-secret'] }))
    const job = aJob({ name: 'deploy a-known-secret', repository: 'acme/a-known-secret' })
    await ledger.applyJobEvent(aJobEvent(job, 'queued'), cause)
    expect(await ledger.findJob(job.installation, job.forgeJobId)).toMatchObject({
      name: `deploy ${redacted}`,
      repository: 'acme/a-known-secret',
    })
  })

  it('keeps names and labels of any length as far as somebody can read them', async () => {
    const bench = await createControlBench()
    const ledger = redactingLedger(bench.ledger, createRedactor({}))
    const labels = [
      'self-hosted',
      'self-hosted',
      'x'.repeat(5_000),
      ...Array.from({ length: 500 }, (_, at) => `l${at}`),
    ]
    const job = aJob({ name: 'n'.repeat(2_000_000), labels })
    await ledger.applyJobEvent(aJobEvent(job, 'queued'), cause)
    const kept = await ledger.findJob(job.installation, job.forgeJobId)
    expect([kept?.name.length, kept?.labels.length]).toEqual([256, 100])
    expect(kept?.labels.slice(0, 3).map((label) => label.length)).toEqual([11, 256, 2])
  })

  it('keeps no decision with the output of a runner unmasked', async () => {
    const bench = await createControlBench()
    const ledger = redactingLedger(bench.ledger, createRedactor({ patterns: ['ACME-\\d+'] }))
    const record = classifyDeath({ ...exited, tail: 'ACME-1234 here' })
    const ids = { jobId: null, attemptId: null, runnerId: null }
    const facts = { runner: 'ACME-1', record }
    const decision = { rule: 'orphaned-stamped-pod', ...ids, facts, actions: [] }
    await ledger.recordDecision(decision)
    await ledger.recordBounded(decision, { kind: 'give-up', runnerId: 1, node: null }, recoveryBounds)
    const masked = { facts: { runner: 'ACME-1', record: { ending: { tail: `${redacted} here` } } } }
    expect([...bench.ledger.rows.decisions.values()]).toMatchObject([masked, masked])
  })
})
