import { describe, expect, it } from 'vitest'
import {
  type ControlBench,
  createControlBench,
  exited,
  hostId,
  never,
} from '../../test/support/control-bench.ts'
import { recordedLog } from '../../test/support/machine.ts'
import { classifyDeath } from '../domain/death/index.ts'
import { HoldfastError } from '../domain/errors/index.ts'
import type { Job } from '../domain/job/index.ts'
import type { Subject } from '../domain/recovery/index.ts'
import { look, type RecoveryDeps, recoveryLoop } from './index.ts'

const silence = () => Promise.reject(new HoldfastError('E_FORGE_UNAVAILABLE', { call: 'any', why: 'a test' }))
const depsOf = (bench: ControlBench, over: Partial<RecoveryDeps> = {}): RecoveryDeps => ({
  ...bench,
  ...over,
})

/** A job that was claimed and never delivered, past its deadline. */
async function staleClaim(bench: ControlBench): Promise<Subject> {
  await bench.queue()
  const runner = await bench.runner()
  await bench.ledger.polled(runner.id)
  await bench.ledger.claim(runner, '11111111-1111-4111-8111-111111111111', 1_000)
  await bench.advance(2_000)
  const [subject] = await bench.ledger.due(10, hostId)
  if (subject === undefined || subject.kind === 'unreadable') throw new Error('nothing is due')
  return subject
}

describe('a look at a subject', () => {
  it('reads the facts that the rule needs, acts, and stores the decision with its facts and outcome', async () => {
    const bench = await createControlBench()
    await look(await staleClaim(bench), depsOf(bench), never)
    expect(bench.ledger.rows.jobs.get(1)?.state).toBe('queued')
    expect(bench.ledger.rows.decisions.get(1)).toMatchObject({
      rule: 'stale-claim',
      jobId: 1,
      facts: { forgeJob: { known: true }, forgeRunner: { known: true, value: { kind: 'absent' } } },
      outcome: 'end-attempt: ok',
    })
    expect(bench.metrics.counts.get('holdfast_jobs_requeued_total{stale-claim}')).toBe(1)
  })

  it('at what no rule and no reason foresaw does nothing, and fails: that is counted, and opens an incident', async () => {
    const bench = await createControlBench()
    const subject = await staleClaim(bench)
    if (subject.kind !== 'attempt') throw new Error('expected the claim')
    const impossible = { ...subject, attempt: { ...subject.attempt, state: 'ended' as const } }
    await expect(look(impossible, depsOf(bench), never)).rejects.toThrow('no rule and no reason')
    expect(bench.ledger.rows.decisions.size).toBe(0)
  })

  it('names repository, run and job of the forge in its log line', async () => {
    const bench = await createControlBench()
    const subject = await staleClaim(bench)
    const log = recordedLog()
    await look(subject, depsOf(bench, { log }), never)
    const { repository, runId, forgeJobId } = bench.ledger.rows.jobs.get(1) as Job
    expect(log.lines.find(({ message }) => message === 'recovery decided')?.fields).toMatchObject({
      job: 1,
      repository,
      run: runId,
      forgeJob: forgeJobId,
    })
  })

  it('does nothing while a fact cannot be read, and is retried', async () => {
    const bench = await createControlBench()
    const subject = await staleClaim(bench)
    let reads = 0
    const readJob = () => {
      reads += 1
      return silence()
    }
    await look(subject, depsOf(bench, { forge: { ...bench.forge, readJob } }), never)
    expect(reads).toBe(1)
    expect(bench.ledger.rows.jobs.get(1)?.state).toBe('claimed')
    expect(bench.ledger.rows.decisions.size).toBe(0)
    expect(await bench.ledger.due(10, hostId)).toEqual([])
    await bench.advance(10_000)
    expect(await bench.ledger.due(10, hostId)).toHaveLength(1)
  })

  it('stops at a refused action: a runner that is found to be busy is not given up', async () => {
    const bench = await createControlBench()
    const subject = await staleClaim(bench)
    const forge = {
      ...bench.forge,
      findRunner: async () => ({ id: 9, name: 'any', online: true, busy: false }),
      removeRunner: async () => 'busy' as const,
    }
    await look(subject, depsOf(bench, { forge }), never)
    expect(bench.ledger.rows.jobs.get(1)?.state).toBe('claimed')
    expect(bench.ledger.rows.decisions.get(1)?.outcome).toBe('remove-registration: busy')
  })

  it('stores the decision before it acts, so that a crash in between shows what was about to be done', async () => {
    const bench = await createControlBench()
    const subject = await staleClaim(bench)
    const ledger = { ...bench.ledger, endAttempt: () => Promise.reject(new Error('killed')) }
    await expect(look(subject, depsOf(bench, { ledger }), never)).rejects.toThrow('killed')
    expect(bench.ledger.rows.decisions.get(1)).toMatchObject({ rule: 'stale-claim', outcome: null })
  })

  it('waits without a read while the facts would be too old, and stores no decision', async () => {
    const bench = await createControlBench()
    await bench.queue()
    const runner = await bench.runner()
    await bench.ledger.polled(runner.id)
    const handle = '11111111-1111-4111-8111-111111111111'
    await bench.ledger.claim(runner, handle, 60_000)
    await bench.ledger.minted(handle, 1, bench.vault.seal('jit', handle), 60_000)
    await bench.ledger.deliver(handle, 60_000)
    await bench.ledger.sealDeath(runner.id, classifyDeath(exited), 'killed', { source: 'lifecycle' })
    const readJob = () => Promise.reject(new Error('read too early'))
    const [subject] = await bench.ledger.due(10, hostId)
    await look(subject as Subject, depsOf(bench, { forge: { ...bench.forge, readJob } }), never)
    expect(bench.ledger.rows.decisions.size).toBe(0)
    expect(await bench.ledger.due(10, hostId)).toEqual([])
    await bench.advance(5_000)
    const [again] = await bench.ledger.due(10, hostId)
    await look(again as Subject, depsOf(bench), never)
    expect(bench.ledger.rows.decisions.get(1)?.rule).toBe('running-without-runner')
    expect(bench.metrics.observed.get('holdfast_requeue_seconds')).toEqual([5])
  })

  it('throws any error that is no outage, so that a defect is never read as an unknown fact', async () => {
    const bench = await createControlBench()
    const subject = await staleClaim(bench)
    const forge = { ...bench.forge, readJob: () => Promise.reject(new Error('a defect')) }
    await expect(look(subject, depsOf(bench, { forge }), never)).rejects.toThrow('a defect')
  })
})

describe('the recovery loop', () => {
  it('looks at due subjects, and at no others', async () => {
    const bench = await createControlBench()
    await staleClaim(bench)
    const loop = recoveryLoop(bench, 1_000)
    await loop.pass(never)
    await loop.ended?.()
    const decided = [...bench.ledger.rows.decisions.values()].map(({ rule }) => rule)
    expect(decided).toContain('stale-claim')
    await bench.ledger.postpone({ kind: 'job', id: 1 }, 60_000)
    await loop.pass(never)
    await loop.ended?.()
    expect(bench.ledger.rows.decisions.size).toBe(decided.length)
  })
})
