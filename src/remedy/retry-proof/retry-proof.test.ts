import { describe, expect, it } from 'vitest'
import { minuteMs } from '../../domain/snapshot/testing/facts.ts'
import { ProofWorld, transientLog } from '../testing/proof-world.ts'

const failedGates = (gates: readonly { readonly gate: string; readonly passed: boolean }[]) =>
  gates.filter(({ passed }) => !passed).map(({ gate }) => gate)

describe('a platform proof that ended by signal 9 at the edge of its memory', () => {
  it('is run again once, and its pass on the same commit is the result', async () => {
    const world = new ProofWorld()
    const planned = await world.plan()
    expect([planned.state, world.acts]).toEqual(['planned', []])
    expect(planned.plan.objects[0]?.evidence.join()).toContain('failed due to signal 9')
    const { state, gates } = await world.apply(planned)
    expect([state, world.acts.length]).toEqual(['done', 1])
    expect(gates[0]?.proof).toMatch(
      /attempt 1 \(job 87\): failure on linux-1; attempt 2 \(job 89\): success on linux-2; Attempt 2 passed.*the pass is the result/,
    )
  })

  it('that fails again is escalated with both attempts together, and not run a third time', async () => {
    const world = new ProofWorld()
    world.next = { conclusion: 'failure', looks: 2 }
    const { state, gates } = await world.apply(await world.plan())
    expect([state, failedGates(gates)]).toEqual(['escalated', ['passed-on-same-commit']])
    expect(gates[0]?.proof).toContain('Attempts 1 and 2 failed on the same commit')
    const again = await world.plan()
    expect([again.state, world.acts.length]).not.toEqual(['planned', 2])
    expect(again.plan.objects).toEqual([])
  })

  it('whose second attempt does not end in time is escalated: there is no result', async () => {
    const world = new ProofWorld()
    world.next = { conclusion: 'success', looks: 10_000 }
    const { state, gates } = await world.apply(await world.plan())
    expect([state, gates[0]?.proof]).toEqual(['escalated', expect.stringContaining('is not over')])
  })

  it.each([
    ['after', 'done', 1],
    ['before', 'escalated', 0],
  ] as const)(
    'whose rerun’s answer is lost %s it is read again, and never asked for again',
    async (lost, state, acts) => {
      const world = new ProofWorld()
      const planned = await world.plan()
      world.base.loseNextAnswer = lost
      expect([(await world.apply(planned)).state, world.acts.length]).toEqual([state, acts])
      const again = await world.plan()
      expect(again.plan.objects).toEqual([])
      expect(again.plan.skipped[0]?.why).toContain('not-asked-before')
    },
  )
})

describe('nothing is planned', () => {
  it.each([
    ['declared-proof', 'that nobody declared', (world: ProofWorld) => world.change({ name: 'build' })],
    [
      'transient-signal-9',
      'that failed by its own step',
      (world: ProofWorld) => (world.log = '##[error]tests failed'),
    ],
    [
      'transient-signal-9',
      'with a kill that was counted',
      (world: ProofWorld) => (world.log = transientLog.replace('oom_kill 0', 'oom_kill 2')),
    ],
    [
      'transient-signal-9',
      'without the figures',
      (world: ProofWorld) => (world.log = transientLog.replace(/memory.*\n/g, '')),
    ],
    ['transient-signal-9', 'that passed', (world: ProofWorld) => world.change({ conclusion: 'success' })],
    ['declared-proof', 'that the forge does not know', (world: ProofWorld) => (world.jobs = [])],
  ])('by %s for a job %s', async (gate, _, change) => {
    const world = new ProofWorld()
    change(world)
    const { state, plan } = await world.plan()
    expect([state, failedGates(plan.gates)]).toEqual(['blocked', [gate]])
  })

  it('for a job of another repository that has the same name', async () => {
    const { state } = await new ProofWorld().plan([{ repository: 'acme/web', job: 'Prove linux contract' }])
    expect(state).toBe('blocked')
  })
})

describe('between plan and apply', () => {
  it.each([
    ['same-attempt', (world: ProofWorld) => world.rerun('success')],
    ['first-attempt-on-commit', (world: ProofWorld) => world.rerun('failure')],
    ['run-over', (world: ProofWorld) => (world.isRunOver = false)],
    ['head-current', (world: ProofWorld) => world.supersede()],
    ['transient-signal-9', (world: ProofWorld) => (world.log = null)],
    ['declared-proof', (world: ProofWorld) => world.change({ name: 'other' })],
  ])('a change stops it by %s, and nothing is run again', async (gate, change) => {
    const world = new ProofWorld()
    const planned = await world.plan()
    change(world)
    const { state, gates } = await world.apply(planned)
    expect([state, failedGates(gates)]).toEqual(['aborted', expect.arrayContaining([gate])])
    expect(world.acts).toEqual([])
  })

  it('a forge that refuses the rerun ends it: nothing was done', async () => {
    const world = new ProofWorld()
    const planned = await world.plan()
    world.base.disturb = () => {
      if (world.base.trail.kept.at(-1)?.step === 're-checked') world.isRunOver = false
    }
    expect((await world.apply(planned)).state).toBe('aborted')
    expect(world.acts).toEqual([])
  })

  it('more than five within the hour are not run again', async () => {
    const world = new ProofWorld()
    const { trail, now, deps } = { ...world.base, deps: world.base.deps() }
    for (let count = 0; count < 5; count++)
      await trail.append({
        at: now - minuteMs,
        actor: deps.actor,
        remedy: 'retry-proof',
        plan: null,
        step: 're-checked',
        subject: `Job acme/platform/${count}`,
        gates: [],
        outcome: '',
      })
    expect((await world.plan()).plan.skipped[0]?.why).toContain('bounds')
  })
})
