import { describe, expect, it } from 'vitest'
import { type ControlBench, cause, createControlBench, never } from '../../test/support/control-bench.ts'
import type { Forge } from '../ports/forge.ts'
import { look } from './index.ts'

const hourMs = 3_600_000
const handle = '11111111-1111-4111-8111-111111111111'

/**
 * A runner whose job was cancelled before it registered; it registered all the same, and the forge gave it a job of
 * another repository, of which no event arrived.
 */
async function busyUnseen(bench: ControlBench) {
  const jobId = await bench.queue()
  const runner = await bench.runner()
  await bench.ledger.polled(runner.id)
  await bench.ledger.claim(runner, handle, hourMs)
  await bench.ledger.minted(handle, 7, bench.vault.seal('jit', handle), hourMs)
  await bench.ledger.deliver(handle, hourMs)
  const job = bench.ledger.rows.jobs.get(jobId)
  const event = await bench.forge.readJob(
    { installation: 'sim', repository: 'acme/web' },
    job?.forgeJobId ?? 0,
    never,
  )
  if (event === null) throw new Error('the forge does not know the job')
  await bench.ledger.applyJobEvent({ ...event, status: 'completed', conclusion: 'cancelled' }, cause)
  bench.host.runners.set(runner.name, 'running')
  const forge: Forge = {
    ...bench.forge,
    readJob: async () => ({ ...event, status: 'completed', conclusion: 'cancelled' }),
    findRunner: async (_scope, name) => ({ id: 7, name, online: true, busy: true }),
    removeRunner: async () => 'busy',
  }
  await bench.advance(hourMs)
  return { runner, forge }
}

async function lookAt(bench: ControlBench, forge: Forge, runnerId: number): Promise<void> {
  const subject = await bench.ledger.subject({ kind: 'runner', id: runnerId })
  if (subject === null) throw new Error('the runner has ended')
  await look(subject, { ...bench, forge }, never)
}

describe('a busy runner whose last job is over', () => {
  it('is not stopped once all ended rows are archived (I4)', async () => {
    const bench = await createControlBench()
    const { runner, forge } = await busyUnseen(bench)
    await bench.ledger.archive(0, 100)
    await lookAt(bench, forge, runner.id)
    expect(bench.host.calls).toEqual([])
    expect((await bench.ledger.findRunner(runner.name))?.state).toBe('claimed')
  })

  it.each([
    ['lives', {}],
    ['is on a silent node', { program: 'started', node: 'n1', silentSince: 1 }],
  ] as const)('is left alone where no attempt of it is found at all, and it %s', async (_, facts) => {
    const bench = await createControlBench()
    const { runner, forge } = await busyUnseen(bench)
    bench.host.facts.set(runner.name, facts)
    bench.ledger.rows.attempts.clear() // as if it had been archived with its job
    await lookAt(bench, forge, runner.id)
    expect(bench.host.calls).toEqual([])
    expect(bench.ledger.rows.evidence.size).toBe(1) // of the ended attempt, not of a death
    expect((await bench.ledger.findRunner(runner.name))?.state).toBe('claimed')
  })

  it('is stopped with proof: the forge reports its job as over and the runner as idle', async () => {
    const bench = await createControlBench()
    const { runner, forge } = await busyUnseen(bench)
    const idle: Forge = { ...forge, findRunner: async () => null }
    await lookAt(bench, idle, runner.id)
    expect(bench.host.calls).toEqual([expect.stringMatching(/^stop linux-0001/)])
  })
})
