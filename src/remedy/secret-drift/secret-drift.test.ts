import { describe, expect, it } from 'vitest'
import { type Remedy, type SecretDriftFacts, secretDrift } from '../../domain/remedy/index.ts'
import {
  listenerFact,
  minuteMs,
  readAt,
  scaleSetFact,
  waitingState,
} from '../../domain/snapshot/testing/facts.ts'
import { applyPlan, planSecretDrift, secretDriftTreatment } from '../index.ts'
import {
  CredentialsWorld,
  goodToken,
  listenerPod,
  other,
  own,
  staleToken,
} from '../testing/credentials-world.ts'
import { place } from '../testing/world.ts'

const never = new AbortController().signal
const look = (world: CredentialsWorld, remedy: Remedy<SecretDriftFacts> = secretDrift) =>
  planSecretDrift(remedy, { sets: [place] }, world.deps(), never)
const planOf = async (world: CredentialsWorld, remedy?: Remedy<SecretDriftFacts>) =>
  (await look(world, remedy)).plan
const apply = (world: CredentialsWorld, plan: Awaited<ReturnType<typeof planOf>>) =>
  applyPlan(secretDriftTreatment(secretDrift, world.deps()), plan, world.deps(), never)

/** Worlds in which one gate, and no other, stands against the copy. */
const gates: readonly [string, string, (world: CredentialsWorld) => void][] = [
  ['source-keys', 'the set’s own copy has no key of a token or a whole App', badKeys],
  ['source-proven', 'the listener was refused after its session', (world) => world.loseSession()],
  [
    'source-proven',
    'the log shows no session',
    (world) => void Object.assign(world, { lines: ['starting'] }),
  ],
  ['source-proven', 'the listener is older than the Secret', (world) => madeAt(world, -121)],
  ['source-proven', 'ARC may have made the listener from its cache', (world) => madeAt(world, -120)],
  ['source-proven', 'the listener has another credential', (world) => uses(world, 'another')],
  ['source-proven', 'the listener waits', waiting],
  ['source-proven', 'the listener has no pod', (world) => void Object.assign(world, { pod: null })],
  ['source-proven', 'nobody knows when the Secret was written', neverWritten],
  ['target-unused', 'a set names the other copy', (world) => void Object.assign(world, { users: [place] })],
  ['loses-nothing', 'the other copy has a key of somebody', withMore],
  [
    'loses-nothing',
    'the other copy is of another type',
    (world) => otherCopy(world, { type: 'kubernetes.io/tls' }),
  ],
]

describe('a credential that differs between a set’s namespace and its listener’s', () => {
  it('is copied from the one with which the listener has its session', async () => {
    const world = new CredentialsWorld()
    const plan = await planOf(world)
    expect(plan.objects).toMatchObject([{ kind: 'Secret', namespace: 'arc-systems', name: 'github-app' }])
    expect(world.acts).toEqual([])
    expect(await apply(world, plan)).toMatchObject({ state: 'done', treated: { length: 1 } })
    expect(world.stored.get(other)?.data).toEqual({ github_token: goodToken })
  })

  it('loses the key of the kind of credential that it had before', async () => {
    const world = new CredentialsWorld()
    const app = { github_app_id: '1', github_app_installation_id: '2', github_app_private_key: goodToken }
    world.put(own, app, { writtenAt: readAt - 120 * minuteMs })
    expect(await apply(world, await planOf(world))).toMatchObject({ state: 'done' })
    expect(world.stored.get(other)?.data).toEqual(app)
  })

  it('stands in plan and trail by hashes alone', async () => {
    const world = new CredentialsWorld()
    const plan = await planOf(world)
    const shown = JSON.stringify([plan, await apply(world, plan), world.trail.kept])
    for (const value of [goodToken, staleToken]) expect(shown).not.toContain(value)
    expect(shown).toMatch(/[0-9a-f]{8} in github_token, while the session/)
  })

  it.each<[string, (world: CredentialsWorld) => void, RegExp]>([
    ['the copies are equal', (world) => world.put(other, { github_token: goodToken }), /is equal to/],
    ['there is no other copy', (world) => void world.stored.delete(other), /ARC needs none there/],
    ['the set’s own copy is missing', (world) => void world.stored.delete(own), /there is no arc-runners/],
    [
      'the set’s own copy has nothing that ARC reads',
      (world) => world.put(own, { x: 'y' }),
      /no key that ARC reads/,
    ],
    ['the set has no listener', (world) => void Object.assign(world, { listener: null }), /no listener/],
    [
      'the credential is in a vault',
      (world) => void Object.assign(world, { set: inVault() }),
      /names no Secret/,
    ],
  ])('is nothing to plan for where %s', async (_, change, why) => {
    const world = new CredentialsWorld()
    change(world)
    const { plan, state } = await look(world)
    expect([state, plan.objects]).toEqual(['observed', []])
    expect(plan.skipped.map(({ why }) => why).join()).toMatch(why)
  })

  it('is blocked, by name, where the set cannot be read', async () => {
    const world = new CredentialsWorld()
    world.failures = 1
    const { state, plan } = await look(world)
    expect([state, plan.gates]).toMatchObject(['blocked', [{ gate: 'set-known', passed: false }]])
  })

  it.each(gates)('is left alone by the gate %s where %s', async (gate, _, change) => {
    const world = new CredentialsWorld()
    change(world)
    const { objects, skipped } = await planOf(world)
    expect(objects).toEqual([])
    expect(skipped.map(({ why }) => why).join()).toContain(`${gate}: `)
    const rechecks = secretDrift.rechecks.filter(({ name }) => name !== gate)
    expect((await planOf(world, { ...secretDrift, rechecks })).objects).not.toEqual([])
  })

  it.each<[string, (world: CredentialsWorld) => void, RegExp]>([
    ['the set’s own copy was written', (world) => world.put(own, { github_token: 'newer' }), /same-source/],
    ['the other copy was written', (world) => world.put(other, { github_token: 'newer' }), /same-object/],
    ['the other copy is gone', (world) => void world.stored.delete(other), /same-object/],
    ['somebody wrote the same', (world) => world.put(other, { github_token: goodToken }), /copy-needed/],
    ['the session was lost', (world) => world.loseSession(), /source-proven/],
    [
      'a set began to use the other copy',
      (world) => void Object.assign(world, { users: [place] }),
      /target-unused/,
    ],
    ['an hour passed', (world) => void Object.assign(world, { now: world.now + 60 * minuteMs }), /plan-age/],
  ])('is not written where after the plan %s', async (_, change, why) => {
    const world = new CredentialsWorld()
    const plan = await planOf(world)
    change(world)
    const { state, outcome } = await apply(world, plan)
    expect([state === 'aborted' || state === 'blocked', outcome]).toEqual([true, expect.stringMatching(why)])
    expect(world.acts).toEqual([])
  })

  it('is not written where it changes in the last moment', async () => {
    const world = new CredentialsWorld()
    const plan = await planOf(world)
    world.disturb = () => {
      if (world.rowTicks.length > 0 && world.acts.length === 0) world.put(other, { github_token: 'theirs' })
    }
    expect(await apply(world, plan)).toMatchObject({ state: 'aborted' })
    expect(world.stored.get(other)?.data).toEqual({ github_token: 'theirs' })
  })

  it('whose answer is lost is not written twice', async () => {
    const world = new CredentialsWorld()
    const plan = await planOf(world)
    world.loseNextAnswer = 'after'
    expect([(await apply(world, plan)).state, world.acts.length]).toEqual(['done', 1])
    const second = new CredentialsWorld()
    const again = await planOf(second)
    second.loseNextAnswer = 'before'
    expect([(await apply(second, again)).state, second.acts]).toEqual(['escalated', []])
    expect((await apply(second, again)).outcome).toMatch(/plan-unused/)
  })

  it('calls a person where the listener loses its session meanwhile', async () => {
    const world = new CredentialsWorld()
    const plan = await planOf(world)
    world.disturb = () => {
      if (world.acts.length > 0 && world.lines.length === 2) world.loseSession()
    }
    const report = await apply(world, plan)
    expect(report).toMatchObject({ state: 'escalated', outcome: expect.stringMatching(/listener-session/) })
  })
})

function badKeys(world: CredentialsWorld): void {
  const data = { github_app_id: '1', github_app_pem: goodToken }
  world.put(own, data, { writtenAt: readAt - 120 * minuteMs })
}

function madeAt(world: CredentialsWorld, minutes: number): void {
  world.pod = listenerPod(readAt + minutes * minuteMs)
}

function uses(world: CredentialsWorld, credentialSecret: string): void {
  world.listener = listenerFact('linux', { credentialSecret })
}

function waiting(world: CredentialsWorld): void {
  world.pod = listenerPod(readAt - 60 * minuteMs, waitingState('CrashLoopBackOff'))
}

function neverWritten(world: CredentialsWorld): void {
  world.put(own, { github_token: goodToken }, { writtenAt: null as never })
}

function withMore(world: CredentialsWorld): void {
  world.put(other, { github_token: staleToken, webhook: 'x' })
}

function otherCopy(world: CredentialsWorld, given: object): void {
  world.put(other, { github_token: staleToken }, given)
}

function inVault() {
  return scaleSetFact('linux', { credentialSecret: null })
}
