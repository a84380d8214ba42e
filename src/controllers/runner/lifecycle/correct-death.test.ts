import { describe, expect, it } from 'vitest'
import { type ControlBench, createControlBench, never } from '../../../../test/support/control-bench.ts'
import { classifyDeath } from '../../../domain/death/index.ts'
import type { HostedRunner } from '../../../ports/runner-host.ts'
import { lifecycleLoop } from './index.ts'

const resyncEveryMs = 1_000

/** A runner that is sealed as vanished, and that the host still has. */
async function sealedAlive(over: Partial<HostedRunner> = {}, uids: readonly string[] = ['uid-1', 'uid-1']) {
  const bench = await createControlBench()
  const runner = await bench.runner('linux-1')
  await bench.ledger.bindPod(runner.id, uids[0] as string)
  await bench.ledger.sealDeath(runner.id, classifyDeath(null), 'vanished', { source: 'recovery' })
  bench.host.runners.set(runner.name, 'running')
  bench.host.uids.set(runner.name, uids[1] as string)
  bench.host.facts.set(runner.name, { program: 'started', ...over })
  const loop = lifecycleLoop({ ...bench, resyncEveryMs })
  loop.subscribe?.(() => undefined)
  await loop.pass(never)
  return { bench, runner, loop }
}

const corrections = ({ ledger }: ControlBench) =>
  [...ledger.rows.decisions.values()].filter(({ rule }) => rule === 'death-corrected')

describe('an end that was sealed although its runner lives', () => {
  it('is corrected once by a second record that names the first, which stays as it is', async () => {
    const { bench, runner, loop } = await sealedAlive()
    await bench.advance(resyncEveryMs)
    await loop.pass(never)
    const { evidenceId } = (await bench.ledger.findRunner(runner.name)) ?? {}
    const facts = { found: 'alive', evidenceId, sealedAs: 'vanished', podUid: 'uid-1' }
    expect(corrections(bench)).toMatchObject([
      { runnerId: runner.id, facts, outcome: expect.stringMatching(/its pod runs/) },
    ])
    expect(bench.ledger.rows.evidence.size).toBe(1)
    expect(bench.host.calls).toEqual([])
  })

  it('is corrected again by its real end, before its pod is released', async () => {
    const { bench, runner, loop } = await sealedAlive()
    bench.host.runners.set(runner.name, 'exited')
    bench.host.change(runner.name)
    await loop.pass(never)
    expect(corrections(bench).map(({ facts }) => facts.found)).toEqual(['alive', 'ended'])
    expect(corrections(bench)[1]?.facts).toHaveProperty('record.class')
    expect(bench.host.calls).toEqual([`release ${runner.name}`])
    expect(bench.ledger.rows.evidence.size).toBe(1)
  })

  it('is shown with the runner', async () => {
    const { bench, runner } = await sealedAlive()
    const file = await bench.ledger.runnerFile(runner.name)
    expect(file?.decisions.map(({ rule }) => rule)).toContain('death-corrected')
  })

  it.each([
    ['which leaves', { leavingSince: 1 }, ['uid-1', 'uid-1']],
    ['on a silent node', { silentSince: 1 }, ['uid-1', 'uid-1']],
    ['of another pod that took its name', {}, ['uid-1', 'uid-2']],
  ])('is not corrected by a runner %s', async (_, over, uids) => {
    const { bench } = await sealedAlive(over, uids)
    expect(corrections(bench)).toEqual([])
  })
})
