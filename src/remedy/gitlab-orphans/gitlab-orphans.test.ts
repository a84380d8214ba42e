import { describe, expect, it } from 'vitest'
import { gitlabOrphans } from '../../domain/remedy/index.ts'
import { readAt, runningState, waitingState } from '../../domain/snapshot/testing/facts.ts'
import { problemsOf } from '../../domain/trail/index.ts'
import { applyPlan, gitlabOrphansTreatment, planGitlabOrphans } from '../index.ts'
import { endedStatuses, GitlabWorld, jobPod, managerPod, orphanName } from '../testing/gitlab-world.ts'
import { digest } from '../testing/world.ts'

const never = new AbortController().signal
const planOf = (world: GitlabWorld) =>
  planGitlabOrphans(gitlabOrphans, { namespaces: ['ci'] }, world.deps(), never)
const apply = (world: GitlabWorld, { plan }: Awaited<ReturnType<typeof planOf>>) =>
  applyPlan(gitlabOrphansTreatment(gitlabOrphans, world.deps()), plan, world.deps(), never)

type Change = (world: GitlabWorld) => void

describe('a job pod of GitLab Runner that lost its manager', () => {
  it('goes once its job is over at GitLab, and the trail has every step', async () => {
    const world = new GitlabWorld()
    const planned = await planOf(world)
    expect(planned.plan.objects).toMatchObject([
      { name: orphanName, job: { host: 'gitlab.example.com', projectId: 31, jobId: 9117 } },
    ])
    expect(planned.plan.objects[0]?.evidence).toContain('job-over: gitlab.example.com: job 9117 is failed')
    expect(world.acts).toEqual([])
    expect(await apply(world, planned)).toMatchObject({ state: 'done', treated: [`ci/${orphanName}`] })
    expect(world.stored.has(orphanName)).toBe(false)
    expect(problemsOf(world.trail.kept, await world.trail.head(), digest)).toEqual([])
  })

  it.each<[string, Change, RegExp]>([
    ['GitLab calls its job running', (world) => (world.jobStatus = 'running'), /job-over: .*is running/],
    ['GitLab cancels its job still', (world) => (world.jobStatus = 'canceling'), /job-over/],
    ['GitLab shows no such job', (world) => (world.jobStatus = null), /absence is no proof/],
    ['GitLab does not answer', (world) => (world.isGitlabAway = true), /could not be read: no answer/],
    ['a manager is older', (world) => world.put(managerPod(400, { name: 'other' })), /manager-gone: pod of/],
    [
      'a manager is starting',
      (world) => world.put(managerPod(1, { statuses: [], phase: 'Pending', name: 'other' })),
      /manager-gone: a manager is starting/,
    ],
    [
      'its job is one of another GitLab',
      (world) =>
        world.change(orphanName, {
          annotations: {
            ...jobPod(0).annotations,
            'job.runner.gitlab.com/url': 'https://else.example/-/jobs/1',
          },
        }),
      /its job is one of else\.example/,
    ],
    [
      'its annotations do not name its job',
      (world) => world.change(orphanName, { annotations: {} }),
      /GitLab cannot be asked/,
    ],
    ['it is going', (world) => world.change(orphanName, { deletedAt: readAt }), /being deleted already/],
  ])('stays where %s', async (_, change, why) => {
    const world = new GitlabWorld()
    change(world)
    const { state, plan } = await planOf(world)
    expect([state, plan.objects]).toEqual(['observed', []])
    expect(plan.skipped).toEqual([expect.objectContaining({ why: expect.stringMatching(why) })])
  })

  it('is left alone in other namespaces, and where it is no job pod', async () => {
    const world = new GitlabWorld()
    world.change(orphanName, { namespace: 'else' })
    expect((await planOf(world)).plan).toMatchObject({ objects: [], skipped: [] })
  })

  it('goes by GitLab’s word also where no manager is in the cluster, or one has ended', async () => {
    const world = new GitlabWorld()
    world.put(managerPod(400, { phase: 'Failed' }))
    expect((await planOf(world)).plan.objects).toHaveLength(1)
    world.stored.delete('gitlab-runner-6f7d9c-x2k4p')
    expect((await planOf(world)).plan.objects).toHaveLength(1)
  })

  it.each<[string, Change, boolean]>([
    ['while its build container runs', () => {}, false],
    ['while it waits for room', withStatuses([]), false],
    ['while nothing in it has started', (world) => waiting(world), false],
    ['while one of its containers runs', halfEnded, false],
    ['right after its containers ended', withStatuses(endedStatuses(1)), false],
    ['some time after its containers ended', withStatuses(endedStatuses(10)), true],
    ['right after its time is over', (world) => world.put(jobPod(361)), false],
    ['some time after its time is over', (world) => world.put(jobPod(370)), true],
  ])('%s, without a word of GitLab', async (_, change, isPlanned) => {
    const world = new GitlabWorld()
    world.hasToken = false
    change(world)
    const { plan } = await planOf(world)
    expect(plan.objects).toHaveLength(isPlanned ? 1 : 0)
    if (!isPlanned) expect(plan.skipped[0]?.why).toMatch(/job-over: .*GitLab was not asked/)
  })

  it.each<[string, Change, RegExp]>([
    ['its job runs after all', (world) => (world.jobStatus = 'running'), /job-over/],
    ['its state changed', (world) => world.change(orphanName, {}), /same-object/],
    ['another pod has its name', (world) => world.change(orphanName, { uid: 'other' }), /same-object/],
    ['it is gone', (world) => void world.stored.delete(orphanName), /no such pod any more/],
    [
      'it is no job pod any more',
      (world) => world.change(orphanName, { name: orphanName, labels: {} }),
      /same/,
    ],
    ['an older manager is seen', (world) => world.put(managerPod(400, { name: 'b' })), /manager-gone/],
    ['GitLab is not asked', (world) => (world.hasToken = false), /which was not asked: give --gitlab-url/],
    ['an hour passed', (world) => (world.now += 3_600_000), /plan-age/],
  ])('is not touched where after the plan %s', async (_, change, why) => {
    const world = new GitlabWorld()
    const planned = await planOf(world)
    change(world)
    const { outcome, treated, state } = await apply(world, planned)
    expect(outcome).toMatch(why)
    expect([treated, world.acts]).toEqual([[], []])
    expect(['aborted', 'blocked']).toContain(state)
  })

  it.each([
    ['before', 'escalated', 0],
    ['after', 'done', 1],
  ] as const)(
    'whose deletion got no answer, lost %s: it is not asked for twice',
    async (when, state, acts) => {
      const world = new GitlabWorld()
      const planned = await planOf(world)
      world.loseNextAnswer = when
      expect(await apply(world, planned)).toMatchObject({ state })
      expect(world.acts).toHaveLength(acts)
      expect(await apply(world, planned)).toMatchObject({ state: 'blocked' })
    },
  )

  it('that changes in the last moment is kept by UID and resourceVersion', async () => {
    const world = new GitlabWorld()
    const planned = await planOf(world)
    let calls = 0
    world.disturb = () => {
      calls += 1
      // GitLab, the pods, and then the deletion.
      if (calls === 3) world.change(orphanName, {})
    }
    expect(await apply(world, planned)).toMatchObject({ state: 'aborted', outcome: 'not done: conflict' })
    expect(world.acts).toEqual([])
  })
})

function withStatuses(statuses: ReturnType<typeof endedStatuses>): Change {
  return (world) => world.change(orphanName, { statuses })
}

function waiting(world: GitlabWorld): void {
  const statuses = jobPod(0).statuses.map((each) => ({ ...each, state: waitingState('ContainerCreating') }))
  world.change(orphanName, { statuses })
}

function halfEnded(world: GitlabWorld): void {
  const [first, second] = endedStatuses(10)
  if (first === undefined || second === undefined) throw new Error('two containers')
  world.change(orphanName, { statuses: [first, { ...second, state: runningState }] })
}
