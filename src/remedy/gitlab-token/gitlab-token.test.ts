import { describe, expect, it } from 'vitest'
import { type GitlabTokenFacts, gitlabToken, type Remedy } from '../../domain/remedy/index.ts'
import { minuteMs, readAt } from '../../domain/snapshot/testing/facts.ts'
import { applyPlan, gitlabTokenTreatment, planGitlabToken } from '../index.ts'
import { GitlabWorld, manager, newToken, tokenSecret } from '../testing/gitlab-token-world.ts'

const never = new AbortController().signal
const look = (world: GitlabWorld, remedy: Remedy<GitlabTokenFacts> = gitlabToken) =>
  planGitlabToken(remedy, { deployment: manager, jobNamespaces: ['ci'] }, world.deps(), never)
const planOf = async (world: GitlabWorld, remedy?: Remedy<GitlabTokenFacts>) =>
  (await look(world, remedy)).plan
const apply = (world: GitlabWorld, plan: Awaited<ReturnType<typeof planOf>>) =>
  applyPlan(gitlabTokenTreatment(gitlabToken, world.deps()), plan, world.deps(), never)
const set = (given: Partial<GitlabWorld>) => (world: GitlabWorld) => void Object.assign(world, given)

/** Worlds in which one gate, and no other, stands against the restart. */
const gates: readonly [string, string, (world: GitlabWorld) => void][] = [
  [
    'token-stale',
    'the manager began after the Secret was written',
    (world) => rewrite(world, readAt - 400 * minuteMs),
  ],
  ['token-stale', 'nobody knows when the Secret was written', (world) => rewrite(world, null as never)],
  ['token-refused', 'the manager works again', (world) => world.recover()],
  ['token-refused', 'its log says nothing', set({ lines: [] })],
  ['no-running-jobs', 'GitLab lists a job', (world) => world.startJob()],
  ['no-job-pods', 'a pod of a job lives', (world) => world.startJobPod()],
]

describe('a manager that has the token of before', () => {
  it('is restarted once, and is online at GitLab then', async () => {
    const world = new GitlabWorld()
    const plan = await planOf(world)
    expect(plan.objects).toMatchObject([{ kind: 'Deployment', ...manager, runnerId: 31 }])
    expect(world.restarts).toEqual([])
    expect(await apply(world, plan)).toMatchObject({ state: 'done', treated: ['ci/gitlab-runner'] })
    expect(world.restarts).toHaveLength(1)
  })

  it('shows no token in plan and trail', async () => {
    const world = new GitlabWorld()
    const plan = await planOf(world)
    const shown = JSON.stringify([plan, await apply(world, plan), world.trail.kept])
    for (const value of [newToken, 'planted-other-0c0c']) expect(shown).not.toContain(value)
  })

  it.each<[string, (world: GitlabWorld) => void, RegExp]>([
    ['GitLab refuses the token of the Secret, too', (world) => world.revoke(), /no restart helps/],
    ['no Secret with a token is named', set({ secretNames: ['another'] }), /no Secret with a token/],
    ['several Secrets with a token are named', twoSecrets, /several Secrets/],
    ['it is no manager', set({ images: ['nginx:1'] }), /no manager/],
  ])('is nothing to plan for where %s', async (_, change, why) => {
    const world = new GitlabWorld()
    change(world)
    const { state, plan } = await look(world)
    expect([state, plan.skipped.map(({ why }) => why).join()]).toEqual([
      'observed',
      expect.stringMatching(why),
    ])
  })

  it('is blocked where it cannot be read', async () => {
    const world = new GitlabWorld()
    world.failures = 1
    expect(await look(world)).toMatchObject({
      state: 'blocked',
      plan: { gates: [{ gate: 'manager-known' }] },
    })
  })

  it.each(gates)('is left alone by the gate %s where %s', async (gate, _, change) => {
    const world = new GitlabWorld()
    change(world)
    const { objects, skipped } = await planOf(world)
    expect([objects, skipped.map(({ why }) => why).join()]).toEqual([
      [],
      expect.stringContaining(`${gate}: `),
    ])
    const rechecks = gitlabToken.rechecks.filter(({ name }) => name !== gate)
    expect((await planOf(world, { ...gitlabToken, rechecks })).objects).not.toEqual([])
  })

  it.each<[string, (world: GitlabWorld) => void, RegExp]>([
    ['the Deployment was written', set({ version: 8 }), /same-object/],
    ['the Deployment was made again', set({ uid: 'another' }), /same-object/],
    ['the Secret was written', (world) => world.put(tokenSecret, { 'runner-token': 'x' }), /same-secret/],
    ['the token was revoked', (world) => world.revoke(), /token-valid/],
    ['a job started', (world) => world.startJob(), /no-running-jobs/],
    ['a pod of a job came', (world) => world.startJobPod(), /no-job-pods/],
    ['the manager works again', (world) => world.recover(), /token-refused/],
    ['GitLab or the cluster does not answer', set({ failures: 1 }), /could not be read/],
  ])('is not restarted where after the plan %s', async (_, change, why) => {
    const world = new GitlabWorld()
    const plan = await planOf(world)
    change(world)
    expect(await apply(world, plan)).toMatchObject({ state: 'aborted', outcome: expect.stringMatching(why) })
    expect(world.restarts).toEqual([])
  })

  it('is not restarted where it is written in the last moment', async () => {
    const world = new GitlabWorld()
    const plan = await planOf(world)
    world.disturb = () => {
      if (world.rowTicks.length > 0) world.version += 1
    }
    expect([(await apply(world, plan)).state, world.restarts]).toEqual(['aborted', []])
  })

  it('is restarted once where the answer is lost', async () => {
    const world = new GitlabWorld()
    const plan = await planOf(world)
    world.loseNextAnswer = 'after'
    expect([(await apply(world, plan)).state, world.restarts.length]).toEqual(['done', 1])
    const second = new GitlabWorld()
    const again = await planOf(second)
    second.loseNextAnswer = 'before'
    expect([(await apply(second, again)).state, second.restarts]).toEqual(['escalated', []])
  })

  it.each<[string, (world: GitlabWorld) => void, RegExp]>([
    ['its pods do not come', set({ reconcile: () => {} }), /rolled-out/],
    ['it does not contact GitLab', (world) => silent(world), /contacted/],
    ['GitLab refuses it again', (world) => refusedAfter(world), /contacted/],
  ])('calls a person where %s', async (_, change, why) => {
    const world = new GitlabWorld()
    const plan = await planOf(world)
    change(world)
    expect(await apply(world, plan)).toMatchObject({
      state: 'escalated',
      outcome: expect.stringMatching(why),
    })
  })
})

function rewrite(world: GitlabWorld, writtenAt: number): void {
  world.put(tokenSecret, { 'runner-token': newToken }, { writtenAt })
}

function twoSecrets(world: GitlabWorld): void {
  world.put('ci/another', { 'runner-token': 'x' })
}

/** Online by an old contact: GitLab says so for two hours. */
function silent(world: GitlabWorld): void {
  const { reconcile } = world
  world.reconcile = () => {
    reconcile.call(world)
    world.runner = { status: 'online', contactedAt: readAt - minuteMs }
  }
}

function refusedAfter(world: GitlabWorld): void {
  const { reconcile, lines } = world
  world.reconcile = () => {
    reconcile.call(world)
    world.lines = lines
  }
}
