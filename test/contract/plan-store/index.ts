import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type AnyPlan, planHash } from '../../../src/domain/remedy/index.ts'
import { type PlanStore, plansKeptMax } from '../../../src/ports/plan-store.ts'

const digest = (text: string) => createHash('sha256').update(text).digest('hex')

/** A plan that differs from others by its program. */
function aPlan(program = '0.1.0'): { readonly plan: AnyPlan; readonly hash: string } {
  const plan: AnyPlan = {
    version: 1,
    remedy: 'reap',
    program,
    site: 'test',
    scope: { sets: [{ namespace: 'arc-runners', name: 'linux' }], isStaleGeneration: false, minAgeMs: 1 },
    observedAt: 1,
    plannedAt: 2,
    expiresAt: 3,
    gates: [],
    objects: [
      {
        kind: 'EphemeralRunner',
        namespace: 'arc-runners',
        name: 'r1',
        uid: 'u1',
        resourceVersion: '7',
        scaleSet: { namespace: 'arc-runners', name: 'linux' },
        forgeScope: 'acme',
        arm: 'idle-leak',
        why: 'no job, said “linux” \u0000',
        evidence: [],
      },
    ],
    skipped: [],
  }
  return { plan, hash: planHash(plan, digest) }
}

/** A store, and a way to change the text of a plan behind its back. */
export interface PlanStoreKit {
  readonly plans: PlanStore
  damage(hash: string, change: (text: string) => string): Promise<void>
}

/** The contract of a store of plans: files and Postgres keep it. */
export function planStoreContract(open: () => Promise<PlanStoreKit>): void {
  describe('a plan', () => {
    const { plan, hash } = aPlan()

    it('is read by its hash as it was written, also when it was written twice', async () => {
      const { plans } = await open()
      await plans.write(hash, plan)
      await plans.write(hash, plan)
      expect(await plans.read(hash)).toEqual(plan)
    })

    it.each([
      [/"r1"/, '"r2"'],
      [/"u1"/, '"u2"'],
      [/"expiresAt": ?3/, '"expiresAt":4'],
      [/"resourceVersion": ?"7"/, '"resourceVersion":""'],
      [/^.*$/s, '{}'],
    ])('is refused where anything in it was changed: %s', async (from, to) => {
      const { plans, damage } = await open()
      await plans.write(hash, plan)
      await damage(hash, (text) => {
        expect(text).toMatch(from)
        return text.replace(from, to)
      })
      await expect(plans.read(hash)).rejects.toMatchObject({ code: 'E_PLAN_DAMAGED' })
    })

    it.each(['', 'abc', '../../etc/passwd', 'f'.repeat(64), `${'a'.repeat(63)}/`, `${'a'.repeat(63)}'`])(
      'of a hash that there is not is refused: %j',
      async (given) => {
        const { plans } = await open()
        await plans.write(hash, plan)
        await expect(plans.read(given)).rejects.toMatchObject({ code: 'E_PLAN_UNKNOWN' })
      },
    )

    it(`is kept as long as it is among the newest ${plansKeptMax}`, async () => {
      const { plans } = await open()
      const all = Array.from({ length: plansKeptMax + 2 }, (_, index) => aPlan(`0.1.${index}`))
      for (const each of all) await plans.write(each.hash, each.plan)
      const [oldest, , , fourth] = all
      await expect(plans.read(oldest?.hash ?? '')).rejects.toMatchObject({ code: 'E_PLAN_UNKNOWN' })
      expect(await plans.read(fourth?.hash ?? '')).toEqual(fourth?.plan)
      expect(await plans.read(all.at(-1)?.hash ?? '')).toEqual(all.at(-1)?.plan)
    })
  })
}
