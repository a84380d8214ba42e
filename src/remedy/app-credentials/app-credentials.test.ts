import { describe, expect, it } from 'vitest'
import { type AppCredentialsFacts, appCredentials, type Remedy } from '../../domain/remedy/index.ts'
import { minuteMs, readAt, scaleSetFact } from '../../domain/snapshot/testing/facts.ts'
import { appCredentialsTreatment, applyPlan, planAppCredentials } from '../index.ts'
import { AppWorld, appHere, appThere, appWith, goodKey, staleKey } from '../testing/app-world.ts'
import { place } from '../testing/world.ts'

const never = new AbortController().signal
const scope = { scaleSet: place, appSecret: 'arc-app', listenerNamespace: 'arc-systems' }
type Variant = Remedy<AppCredentialsFacts>
const look = (world: AppWorld, given: Partial<typeof scope | { appSecret: null }> = {}, remedy?: Variant) =>
  planAppCredentials(remedy ?? appCredentials, { ...scope, ...given }, world.deps(), never)
const planOf = async (world: AppWorld, remedy?: Variant) => (await look(world, {}, remedy)).plan
const apply = (world: AppWorld, plan: Awaited<ReturnType<typeof planOf>>) =>
  applyPlan(appCredentialsTreatment(appCredentials, world.deps()), plan, world.deps(), never)
const changed = (change: (world: AppWorld) => void) => {
  const world = new AppWorld()
  change(world)
  return world
}
const failedOf = ({ gates }: Awaited<ReturnType<typeof planOf>>) =>
  gates.filter(({ passed }) => !passed).map(({ gate, proof }) => `${gate}: ${proof}`)

/** Worlds in which nothing is planned, and the gate that says why. */
const blocked: readonly [string, (world: AppWorld) => void, RegExp][] = [
  [
    'there is no such Secret',
    (world) => void world.stored.delete(appHere),
    /app-keys: .*no Secret arc-runners\/arc-app: make it/,
  ],
  [
    'a key has the name that the guide of ARC once had',
    (world) =>
      world.put(appHere, { github_app_id: '1', github_app_installation_id: '2', github_app_pem: goodKey }),
    /app-secret-bad-key: .*has no github_app_private_key, and has github_app_pem/,
  ],
  [
    'it has a token as well',
    (world) => world.put(appHere, { ...appWith(goodKey), github_token: 'x' }),
    /app-keys: .*has github_token, which is no key/,
  ],
  [
    'it has a token alone',
    (world) => world.put(appHere, { github_token: 'x' }),
    /app-keys: .*a token, and no App.*--app-secret/,
  ],
  [
    'the App is not installed there',
    (world) => world.uninstall(),
    /app-accepted: .*404 Not Found\. Install it on acme/,
  ],
  [
    'the set is gone',
    (world) => void Object.assign(world, { set: null }),
    /set-known: .*no such AutoscalingRunnerSet/,
  ],
  [
    'the set is an enterprise’s',
    (world) =>
      void Object.assign(world, {
        set: scaleSetFact('linux', { configUrl: 'https://github.com/enterprises/e' }),
      }),
    /set-known: .*no list of runners/,
  ],
  [
    'the set cannot be read',
    (world) => void Object.assign(world, { failures: 1 }),
    /facts-read: .*does not answer/,
  ],
]

/** Worlds in which one gate, and no other, stands against the copy. */
const gates: readonly [string, string, (world: AppWorld) => void][] = [
  ['target-unused', 'a set names the other copy', (world) => world.beginUse()],
  [
    'loses-nothing',
    'the other copy has a key of somebody',
    (world) => world.put(appThere, { ...appWith(staleKey), webhook: 'x' }),
  ],
  [
    'loses-nothing',
    'the other copy is of another type',
    (world) => world.put(appThere, appWith(staleKey), { type: 'kubernetes.io/tls' }),
  ],
]

describe('an App in place of a token', () => {
  it.each<[string, (world: AppWorld) => void]>([
    ['is copied over another one next to the listener', () => {}],
    ['is copied where the listener’s namespace has none', (world) => void world.stored.delete(appThere)],
    ['is copied over a token', (world) => world.put(appThere, { github_token: 'of-before' })],
    ['needs no listener', (world) => void Object.assign(world, { listener: null, pod: null })],
  ])('%s', async (_, change) => {
    const world = changed(change)
    const plan = await planOf(world)
    expect(plan.objects).toMatchObject([{ kind: 'Secret', namespace: 'arc-systems', name: 'arc-app' }])
    expect([world.acts, world.asked[0]]).toEqual([[], 'github.com/acme with arc-runners/arc-app'])
    expect(await apply(world, plan)).toMatchObject({ state: 'done', treated: { length: 1 } })
    expect(world.stored.get(appThere)?.data).toEqual(appWith(goodKey))
  })

  it('leaves the set alone, and says by which command its source gives it the App', async () => {
    const world = new AppWorld()
    expect(failedOf(await planOf(world)).join()).toMatch(
      /set-names-app: .*it names github-app\. .*holdfast apply --scale-set arc-runners\/linux -- <your command that sets githubConfigSecret to arc-app>/,
    )
  })

  it('stands in plan and trail by hashes alone', async () => {
    const world = new AppWorld()
    const plan = await planOf(world)
    const shown = JSON.stringify([plan, await apply(world, plan), world.trail.kept])
    for (const value of [goodKey, staleKey]) expect(shown).not.toContain(value)
    expect(shown).toMatch(/[0-9a-f]{8} in github_app_private_key \(arc-runners\/arc-app\)/)
  })

  it.each(blocked)('is blocked, by name, where %s', async (_, change, why) => {
    const { state, plan } = await look(changed(change))
    expect([state, plan.objects]).toEqual(['blocked', []])
    expect(failedOf(plan).join()).toMatch(why)
    // The first that stands against it ends the look.
    expect(failedOf(plan)).toHaveLength(1)
  })

  it.each(gates)('is left alone by the gate %s where %s', async (gate, _, change) => {
    const { state, plan } = await look(changed(change))
    expect([state, plan.objects]).toEqual(['blocked', []])
    expect(plan.skipped.map(({ why }) => why).join()).toContain(`${gate}: `)
    const rechecks = appCredentials.rechecks.filter(({ name }) => name !== gate)
    expect((await planOf(changed(change), { ...appCredentials, rechecks })).objects).not.toEqual([])
  })

  it.each<[string, (world: AppWorld) => void, RegExp]>([
    ['the App’s Secret was written', (world) => world.put(appHere, appWith('newer')), /same-source/],
    ['the other copy was written', (world) => world.put(appThere, appWith('newer')), /same-object/],
    ['the other copy is gone', (world) => void world.stored.delete(appThere), /same-object/],
    ['somebody wrote the same', (world) => world.put(appThere, appWith(goodKey)), /copy-needed/],
    ['the App was uninstalled', (world) => world.uninstall(), /app-accepted/],
    ['a key got another name', (world) => world.put(appHere, { github_app_pem: goodKey }), /app-keys/],
    ['the set moved to another organisation', (world) => world.move(), /same-registration/],
    ['the set is gone', (world) => void Object.assign(world, { set: null }), /same-registration/],
    ['a set began to use the other copy', (world) => world.beginUse(), /target-unused/],
    ['an hour passed', (world) => void Object.assign(world, { now: world.now + 60 * minuteMs }), /plan-age/],
  ])('is not written where after the plan %s', async (_, change, why) => {
    const world = new AppWorld()
    const plan = await planOf(world)
    change(world)
    const { state, outcome } = await apply(world, plan)
    expect([state === 'aborted' || state === 'blocked', outcome]).toEqual([true, expect.stringMatching(why)])
    expect(world.acts).toEqual([])
  })

  it('is not made where somebody made it after the plan, also in the last moment', async () => {
    for (const isLast of [false, true]) {
      const world = changed((each) => void each.stored.delete(appThere))
      const plan = await planOf(world)
      world.disturb = () => {
        if (world.rowTicks.length > 0 === isLast && !world.stored.has(appThere))
          world.put(appThere, { a: 'theirs' })
      }
      const why = isLast ? /not done: conflict/ : /same-object/
      const outcome = expect.stringMatching(why)
      expect(await apply(world, plan)).toMatchObject({ state: 'aborted', outcome })
      expect([world.stored.get(appThere)?.data, world.acts]).toEqual([{ a: 'theirs' }, []])
    }
  })

  it('whose answer is lost is not written twice', async () => {
    const world = new AppWorld()
    const plan = await planOf(world)
    world.loseNextAnswer = 'after'
    expect([(await apply(world, plan)).state, world.acts.length]).toEqual(['done', 1])
    const second = new AppWorld()
    const again = await planOf(second)
    second.loseNextAnswer = 'before'
    expect([(await apply(second, again)).state, second.acts]).toEqual(['escalated', []])
    expect((await apply(second, again)).outcome).toMatch(/plan-unused/)
  })
})

describe('a set that was given an App', () => {
  const given = (change: (world: AppWorld) => void = () => {}) =>
    changed((world) => {
      world.put(appThere, appWith(goodKey))
      world.useApp()
      change(world)
    })

  it.each(['arc-app', null])(
    'is proven by its name, equal copies and a session since (%s)',
    async (appSecret) => {
      const { state, plan } = await look(given(), { appSecret } as object)
      expect([state, plan.objects, failedOf(plan)]).toEqual(['observed', [], []])
      expect(plan.gates.map(({ gate }) => gate)).toEqual([
        ...['set-known', 'app-keys', 'app-accepted', 'copies-equal', 'set-names-app', 'listener-session'],
      ])
    },
  )

  it('is proven where set and listener share a namespace', async () => {
    const { state } = await look(
      given((world) => void world.stored.delete(appThere)),
      { listenerNamespace: 'arc-runners' },
    )
    expect(state).toBe('observed')
  })

  it.each<[string, (world: AppWorld) => void, RegExp]>([
    [
      'its source names another',
      (world) => void Object.assign(world, { set: scaleSetFact() }),
      /set-names-app: .*holdfast apply/,
    ],
    ['the listener was refused', (world) => world.loseSession(), /listener-session: .*no session/],
    [
      'it has no listener',
      (world) => void Object.assign(world, { listener: null }),
      /listener-session: .*no listener/,
    ],
    ['the listener is older than the App', (world) => older(world), /listener-session: .*not younger/],
    ['the App was uninstalled', (world) => world.uninstall(), /app-accepted: .*404/],
  ])('is not proven where %s', async (_, change, why) => {
    const { state, plan } = await look(given(change))
    expect([state, plan.objects]).toEqual(['blocked', []])
    expect(failedOf(plan).join()).toMatch(why)
  })

  it('whose copies differ is not proven by its session: the copy is planned', async () => {
    const { state, plan } = await look(given((world) => world.put(appThere, appWith(staleKey))))
    expect([state, plan.objects.length]).toEqual(['planned', 1])
    expect(failedOf(plan).join()).toMatch(/^copies-equal/)
  })
})

function older(world: AppWorld): void {
  if (world.pod !== null) world.pod = { ...world.pod, createdAt: readAt - 121 * minuteMs }
}
