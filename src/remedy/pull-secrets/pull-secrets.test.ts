import { describe, expect, it } from 'vitest'
import { type PullSecretsFacts, pullSecrets, type Remedy } from '../../domain/remedy/index.ts'
import { podFact } from '../../domain/snapshot/testing/facts.ts'
import { applyPlan, planPullSecrets, pullSecretsTreatment } from '../index.ts'
import { goodValue, runningPod, SecretsWorld } from '../testing/secrets-world.ts'
import { place } from '../testing/world.ts'

const never = new AbortController().signal
const planOf = async (world: SecretsWorld, remedy: Remedy<PullSecretsFacts> = pullSecrets) =>
  (await planPullSecrets(remedy, { sets: [place] }, world.deps(), never)).plan
const apply = (world: SecretsWorld, plan: Awaited<ReturnType<typeof planOf>>) =>
  applyPlan(pullSecretsTreatment(pullSecrets, world.deps()), plan, world.deps(), never)
const controllers = (world: SecretsWorld) => world.stored.get('arc-systems')?.value

describe('a pull secret of a listener that differs from the one of its runners', () => {
  it('is written first, then the listener that waits is made again, and runs', async () => {
    const world = new SecretsWorld()
    const plan = await planOf(world)
    expect(plan.objects.map(({ kind }) => kind)).toEqual(['Secret', 'Pod'])
    expect(world.acts).toEqual([])
    expect(await apply(world, plan)).toMatchObject({ state: 'done', treated: { length: 2 } })
    expect([world.acts, controllers(world)]).toEqual([['copied', 'pod removed'], goodValue])
  })

  it('is made where it is missing', async () => {
    const world = new SecretsWorld()
    world.stored.delete('arc-systems')
    const plan = await planOf(world)
    expect(plan.objects[0]).toMatchObject({ isMissing: true, targetHash: null })
    expect(await apply(world, plan)).toMatchObject({ state: 'done' })
    expect(controllers(world)).toBe(goodValue)
  })

  it('is written before a cold node needs it, and a listener that runs is not touched', async () => {
    const world = new SecretsWorld()
    world.listenerPod = runningPod(1)
    expect(await apply(world, await planOf(world))).toMatchObject({ state: 'done' })
    expect(world.acts).toEqual(['copied'])
  })

  it('stands in plan and trail by hashes alone', async () => {
    const world = new SecretsWorld()
    const plan = await planOf(world)
    const report = await apply(world, plan)
    for (const { value } of world.stored.values())
      expect(JSON.stringify([plan, report, world.trail.kept])).not.toContain(value)
  })

  it.each<[string, (world: SecretsWorld) => void, RegExp]>([
    ['the copies are equal', (world) => world.put('arc-systems', goodValue), /credential itself is invalid/],
    ['there is no runners’ copy', (world) => void world.stored.delete('arc-runners'), /to copy/],
    [
      'the runners’ copy has no such registry',
      (world) => rewrite(world, { registries: ['quay.io'] }),
      /source-covers/,
    ],
    ['no runner has pulled with it', (world) => void world.runnerPods.splice(0), /source-proven: no pull/],
    [
      'a runner pulled with another',
      (world) => void world.runnerPods.splice(0, 1, podFact('r1')),
      /source-proven/,
    ],
    ['the node had the image', cached, /source-proven/],
    [
      'the pull was before it was written',
      (world) => rewrite(world, { writtenAt: world.now }),
      /source-proven/,
    ],
    ['the pull was from another registry', elsewhere, /source-proven/],
    ['the other copy has more', withMore, /loses-nothing: only in the controller’s copy: quay.io/],
    [
      'the other copy is no pull secret',
      (world) => world.put('arc-systems', 'x', { type: 'Opaque' }),
      /loses-nothing/,
    ],
  ])('is left alone where %s', async (_, change, why) => {
    const world = new SecretsWorld()
    change(world)
    const { objects, skipped } = await planOf(world)
    expect(objects).toEqual([])
    expect(skipped.map(({ why }) => why).join()).toMatch(why)
  })

  it.each<[string, (world: SecretsWorld) => void, RegExp]>([
    ['the runners’ copy was written again', (world) => world.put('arc-runners', 'new'), /same-source/],
    ['the controller’s copy was written', (world) => world.put('arc-systems', 'new'), /same-object/],
    ['the controller’s copy is gone', (world) => void world.stored.delete('arc-systems'), /same-object/],
    [
      'somebody wrote the same',
      (world) => world.put('arc-systems', goodValue),
      /copy-needed \(equal already/,
    ],
  ])('is not written where after the plan %s', async (_, change, why) => {
    const world = new SecretsWorld()
    const plan = await planOf(world)
    change(world)
    expect(await apply(world, plan)).toMatchObject({ state: 'aborted', outcome: expect.stringMatching(why) })
    expect(world.acts).toEqual([])
  })

  it('that was missing is not written over one that came meanwhile, also in the last moment', async () => {
    const world = new SecretsWorld()
    world.stored.delete('arc-systems')
    const plan = await planOf(world)
    const { secrets, ...deps } = world.deps()
    const copyKeys: typeof secrets.copyKeys = (...given) => {
      world.put('arc-systems', 'theirs')
      return secrets.copyKeys(...given)
    }
    const raced = { ...deps, secrets: { ...secrets, copyKeys } }
    const report = await applyPlan(pullSecretsTreatment(pullSecrets, raced), plan, raced, never)
    expect([report.state, controllers(world)]).toEqual(['aborted', 'theirs'])
  })

  it('whose listener came to life after the copy leaves its pod alone', async () => {
    const world = new SecretsWorld()
    const plan = await planOf(world)
    world.disturb = () => {
      if (world.acts.length > 0) world.listenerPod = runningPod(1)
    }
    expect(await apply(world, plan)).toMatchObject({
      state: 'aborted',
      outcome: expect.stringMatching(/copy-needed/),
    })
    expect(world.acts).toEqual(['copied'])
  })

  it('whose answer is lost is not written twice', async () => {
    const world = new SecretsWorld()
    const plan = await planOf(world)
    world.loseNextAnswer = 'after'
    expect(await apply(world, plan)).toMatchObject({ state: 'done' })
    expect(world.acts).toEqual(['copied', 'pod removed'])
    const other = new SecretsWorld()
    const second = await planOf(other)
    other.loseNextAnswer = 'before'
    expect(await apply(other, second)).toMatchObject({ state: 'escalated' })
    expect(other.acts).toEqual([])
  })

  it('calls a person where the listener does not run with it', async () => {
    const world = new SecretsWorld()
    const plan = await planOf(world)
    world.reconcile = () => {}
    expect(await apply(world, plan)).toMatchObject({
      state: 'escalated',
      outcome: expect.stringMatching(/listener-pulled/),
    })
  })

  it.each(['source-covers', 'source-proven', 'loses-nothing'])(
    'shows what breaks without the gate %s',
    async (gate) => {
      const rechecks = pullSecrets.rechecks.filter(({ name }) => name !== gate)
      const odd = {
        'source-covers': { registries: ['quay.io'] },
        'source-proven': { writtenAt: null as never },
      }
      const world = new SecretsWorld()
      if (gate === 'source-covers') world.stored.delete('arc-systems')
      if (gate === 'loses-nothing') withMore(world)
      else rewrite(world, odd[gate as keyof typeof odd])
      expect((await planOf(world)).objects).toEqual([])
      expect((await planOf(world, { ...pullSecrets, rechecks })).objects).not.toEqual([])
    },
  )
})

function rewrite(world: SecretsWorld, given: object): void {
  world.put('arc-runners', goodValue, given)
}

function cached(world: SecretsWorld): void {
  world.pulledMessage = 'Container image "ghcr.io/actions/actions-runner:2.334.0" already present on machine'
}

function elsewhere(world: SecretsWorld): void {
  world.pulledMessage = 'Successfully pulled image "ghcr.io.example.com/runner:1" in 3s'
}

function withMore(world: SecretsWorld): void {
  world.put('arc-systems', 'more', { registries: ['ghcr.io', 'quay.io'] })
}
