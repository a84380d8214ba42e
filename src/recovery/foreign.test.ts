import { describe, expect, it } from 'vitest'
import { type ControlBench, createControlBench, never } from '../../test/support/control-bench.ts'
import { look } from './index.ts'

const handle = '11111111-1111-4111-8111-111111111111'
const asked = () => Promise.reject(new Error('the wrong forge was asked'))

/** A runner with a delivered job of the previous installation, while another one is served. */
async function working(bench: ControlBench): Promise<{ runnerId: number; jobId: number }> {
  const jobId = await bench.queue()
  const runner = await bench.runner()
  await bench.ledger.polled(runner.id)
  await bench.ledger.claim(runner, handle, 60_000)
  await bench.ledger.minted(handle, 1, bench.vault.seal('jit', handle), 60_000)
  await bench.ledger.deliver(handle, 60_000)
  bench.host.runners.set(runner.name, 'running')
  return { runnerId: runner.id, jobId }
}

function elsewhere(bench: ControlBench) {
  const forge = { ...bench.forge, readJob: asked, findRunner: asked, removeRunner: asked }
  return { ...bench, forge, installation: 'another' }
}

async function lookAtRunner(bench: ControlBench, id: number): Promise<void> {
  const subject = await bench.ledger.subject({ kind: 'runner', id })
  if (subject === null) throw new Error('the runner has ended')
  await look(subject, elsewhere(bench), never)
}

describe('a runner whose job is of an installation that is not served', () => {
  it('is left alone while its job is open, and no other forge is asked about it', async () => {
    const bench = await createControlBench()
    const { runnerId } = await working(bench)
    await bench.advance(3_600_000)
    await lookAtRunner(bench, runnerId)
    expect(bench.host.calls).toEqual([])
    expect(bench.ledger.rows.decisions.size).toBe(0)
  })

  it('is still sealed as vanished where its own host does not have it any more', async () => {
    const bench = await createControlBench()
    const { runnerId } = await working(bench)
    bench.host.runners.clear()
    await lookAtRunner(bench, runnerId)
    expect(bench.ledger.rows.runners.get(runnerId)).toMatchObject({ state: 'ended' })
  })

  it('is stopped after a person retired its job', async () => {
    const bench = await createControlBench()
    const { runnerId, jobId } = await working(bench)
    await bench.ledger.retireJob(jobId, { source: 'operator' })
    await bench.advance(60_000)
    await lookAtRunner(bench, runnerId)
    expect(bench.host.calls).toEqual([expect.stringMatching(/^stop linux-0001/)])
    expect(bench.ledger.rows.decisions.get(1)).toMatchObject({
      rule: 'runner-without-attempt',
      facts: { forgeJob: { source: 'operator' }, forgeRunner: { source: 'operator' } },
    })
  })
})
