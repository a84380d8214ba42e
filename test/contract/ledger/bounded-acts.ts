import { expect, it } from 'vitest'
import { type BoundedAct, type RecoveryBounds, recoveryBounds } from '../../../src/domain/recovery/index.ts'
import { type Bench, cause, death, type MakeLedger, topic } from './kit.ts'

const two: RecoveryBounds = {
  ...recoveryBounds,
  of: { ...recoveryBounds.of, fence: { atLeast: 2, share: 0, perNode: 1, why: 'a test' } },
}
/** A third of the fleet. */
const third: RecoveryBounds = {
  ...two,
  of: { ...two.of, fence: { atLeast: 0, share: 1 / 3, perNode: 100, why: 'a test' } },
}

function decided({ runnerId }: BoundedAct) {
  const actions = [{ kind: 'fence', runnerId }]
  return { rule: 'silent-runner', jobId: null, attemptId: null, runnerId, facts: {}, actions }
}
const act = (runnerId: number, node: string | null = null): BoundedAct => ({ kind: 'fence', runnerId, node })
const record = ({ ledger }: Pick<Bench, 'ledger'>, of: BoundedAct, bounds = two) =>
  ledger.recordBounded(decided(of), of, bounds)

/** Decisions that do what cannot be taken back: counted for an hour, by all processes together. */
export function boundedActs(make: MakeLedger): void {
  topic('bounded acts', make, (bench) => {
    it('stores decisions up to the bound, and says which one the next would pass', async () => {
      const [one, other] = [await bench().idleRunner(), await bench().idleRunner()]
      expect(await record(bench(), act(one.id))).toMatchObject({ kind: 'recorded' })
      expect(await record(bench(), act(other.id))).toMatchObject({ kind: 'recorded' })
      expect(await record(bench(), act(999))).toEqual({
        kind: 'over',
        over: {
          kind: 'fence',
          scope: 'fleet',
          node: null,
          done: 2,
          allowed: 2,
          windowMs: two.windowMs,
          isPassing: true,
        },
      })
      const file = await bench().ledger.runnerFile(one.name)
      expect(file?.decisions).toMatchObject([{ rule: 'silent-runner', runnerId: one.id, outcome: null }])
    })

    it('says whether the bound is reached by acts that were done, or only with acts that may still be refused', async () => {
      const ids: number[] = []
      for (const runnerId of [901, 902]) {
        const recorded = await record(bench(), act(runnerId))
        if (recorded.kind === 'recorded') ids.push(recorded.id)
      }
      expect(await record(bench(), act(903))).toMatchObject({ over: { isPassing: true } })
      for (const id of ids) await bench().ledger.recordOutcome(id, 'done')
      expect(await record(bench(), act(903))).toMatchObject({ over: { isPassing: false } })
    })

    it('stores no act beyond the bound', async () => {
      const runner = await bench().idleRunner()
      await record(bench(), act(901))
      await record(bench(), act(902))
      expect(await record(bench(), act(runner.id))).toMatchObject({ kind: 'over' })
      expect((await bench().ledger.runnerFile(runner.name))?.decisions).toEqual([])
    })

    it('counts a runner once, and not against itself', async () => {
      for (let n = 0; n < 5; n += 1)
        expect(await record(bench(), act(901))).toMatchObject({ kind: 'recorded' })
      expect(await record(bench(), act(902))).toMatchObject({ kind: 'recorded' })
      expect(await record(bench(), act(901))).toMatchObject({ kind: 'recorded' })
      expect(await record(bench(), act(903))).toMatchObject({ kind: 'over' })
    })

    it('does not count another kind', async () => {
      for (const runnerId of [901, 902])
        await bench().ledger.recordBounded(decided(act(1)), { ...act(runnerId), kind: 'give-up' }, two)
      expect(await record(bench(), act(903))).toMatchObject({ kind: 'recorded' })
    })

    it('counts by node, where it is known', async () => {
      expect(await record(bench(), act(901, 'n1'))).toMatchObject({ kind: 'recorded' })
      expect(await record(bench(), act(902, 'n1'))).toMatchObject({
        kind: 'over',
        over: { scope: 'node', node: 'n1', done: 1, allowed: 1 },
      })
      expect(await record(bench(), act(902, 'n2'))).toMatchObject({ kind: 'recorded' })
    })

    it('does not count released acts', async () => {
      for (const runnerId of [901, 902, 903, 904]) {
        const recorded = await record(bench(), act(runnerId))
        if (recorded.kind === 'over') throw new Error('it is over the bound')
        await bench().ledger.releaseAct(recorded.id)
      }
      expect(await record(bench(), act(905))).toMatchObject({ kind: 'recorded' })
    })

    it('measures a share by the runners that live and by those that it was done to', async () => {
      const runners = []
      for (let n = 0; n < 6; n += 1) runners.push(await bench().idleRunner())
      const [first, second, next] = runners.map(({ id }) => id)
      if (first === undefined || second === undefined || next === undefined) throw new Error('no runners')
      await record(bench(), act(first), third)
      await record(bench(), act(second), third)
      expect(await record(bench(), act(next), third)).toMatchObject({ kind: 'over', over: { allowed: 2 } })
      await bench().ledger.sealDeath(first, death(), 'node-lost', cause)
      expect(await record(bench(), act(next), third)).toMatchObject({ kind: 'over', over: { allowed: 2 } })
    })

    it('still counts what left with its job into the archive', async () => {
      await bench().queue(1)
      const { jobId, runnerId, handle } = await bench().claimed()
      const end = { kind: 'claimExpired', proof: null, fate: { kind: 'gone' } } as const
      const of = act(runnerId)
      await bench().ledger.recordBounded({ ...decided(of), jobId }, of, two)
      await record(bench(), act(902))
      await bench().ledger.endAttempt(handle, end, cause)
      await bench().ledger.sealDeath(runnerId, death(), 'gone', cause)
      await bench().ledger.archive(0, 100)
      expect((await bench().file(jobId)).archived).toBe(true)
      expect(await record(bench(), act(903))).toMatchObject({ kind: 'over' })
    })

    it('lets no two pass together that one after the other would not', async () => {
      const ledgers = [bench().ledger, await bench().impatient()]
      const results = await Promise.all(
        Array.from({ length: 12 }, (_, n) =>
          record({ ledger: ledgers[n % 2] as Bench['ledger'] }, act(900 + n)),
        ),
      )
      expect(results.filter(({ kind }) => kind === 'recorded')).toHaveLength(2)
    })

    it('forgets what is older than the window', async () => {
      const short = { ...two, windowMs: 0 }
      for (const runnerId of [901, 902, 903])
        expect(await record(bench(), act(runnerId), short)).toMatchObject({ kind: 'recorded' })
    })
  })
}
