import { describe, expect, it } from 'vitest'
import { readGitlabConfig } from '../../../gitlab-config/index.ts'
import type { AutoscalerFact, CronJobFact, DeploymentFact, PodFact } from '../../snapshot/index.ts'
import {
  containerFact,
  listed,
  minuteMs,
  objectFact,
  podFact,
  readAt,
  runningState,
  type SnapshotGiven,
  secretFact,
  snapshotOf,
  unread,
  waitingState,
} from '../../snapshot/testing/facts.ts'
import type { Finding } from '../finding.ts'
import { joinSnapshot } from '../joins.ts'
import { withRemedy } from '../remedies.ts'
import { found, judged } from '../testing/judge.ts'
import { gitlab } from './index.ts'

const gib = 2 ** 30
const image = 'registry.gitlab.com/gitlab-org/gitlab-runner:alpine-v19.4.0'

/** A manager whose process began so many minutes ago. */
const manager = (minutes = 300, given: Partial<PodFact> = {}): PodFact => {
  const state = { ...runningState, startedAt: readAt - minutes * minuteMs }
  return podFact('gitlab-runner-7d9f', {
    namespace: 'ci',
    containers: [containerFact({ name: 'gitlab-runner', image })],
    statuses: [{ name: 'gitlab-runner', isReady: true, restarts: 0, imageId: null, state, lastState: null }],
    ...given,
  })
}

const waitingManager = (message: string, given: Partial<PodFact> = {}): PodFact => {
  const state = waitingState('CreateContainerConfigError', message)
  const statuses = [
    { name: 'gitlab-runner', isReady: false, restarts: 0, imageId: null, state, lastState: null },
  ]
  return manager(1, { phase: 'Pending', statuses, ...given })
}

const job = (minutes: number, given: Partial<PodFact> = {}): PodFact =>
  podFact('runner-t4ns81kwe-project-31-concurrent-0-k2p9wq4d', {
    namespace: 'ci',
    labels: { 'job.runner.gitlab.com/pod': 'x' },
    annotations: { 'job.runner.gitlab.com/timeout': '6h0m0s' },
    createdAt: readAt - minutes * minuteMs,
    startedAt: readAt - minutes * minuteMs,
    ...given,
  })

const deployment = (given: Partial<DeploymentFact> = {}): DeploymentFact => ({
  ...objectFact('gitlab-runner', 'ci'),
  ...{ labels: {}, replicas: 2, available: 2, images: { 'gitlab-runner': image }, args: [] },
  ...given,
})

const autoscaler = (given: Partial<AutoscalerFact> = {}): AutoscalerFact => ({
  ...objectFact('runner-hpa', 'ci'),
  target: { kind: 'Deployment', name: 'gitlab-runner' },
  ...{ min: 1, max: 5, current: 2, desired: 2, conditions: [] },
  ...given,
})

const cronJob = (line: string, given: Partial<CronJobFact> = {}): CronJobFact => ({
  ...objectFact('cleanup', 'ci'),
  ...{ schedule: '*/5 * * * *', isSuspended: false, deleting: [line] },
  ...given,
})

const config = (text: string) => ({ gitlabConfig: readGitlabConfig('config.toml', () => text) })

const see = (cluster: NonNullable<SnapshotGiven['cluster']>, given = {}) =>
  found(judged(gitlab, snapshotOf({ cluster }), given))

describe('manager-unavailable', () => {
  it('is found where managers are wanted and none is there', () => {
    expect(see({ deployments: listed([deployment({ available: 0 })]) })).toEqual([
      'manager-unavailable gitlab-runner',
    ])
  })

  it.each([
    ['one of two is there', deployment({ available: 1 })],
    ['none is wanted', deployment({ replicas: 0, available: 0 })],
    ['it is no manager', deployment({ available: 0, images: { web: 'nginx:1' } })],
  ])('is not found where %s', (_, each) => {
    expect(see({ deployments: listed([each]) })).toEqual([])
  })
})

describe('token-secret-missing', () => {
  const message = 'secret "gitlab-runner-token" not found'
  it('is found where the kubelet says it, and likely where only an event does', () => {
    expect(see({ pods: listed([waitingManager(message)]) })).toEqual([
      'token-secret-missing gitlab-runner-token',
    ])
    const subject = { kind: 'Pod', name: 'gitlab-runner-7d9f', uid: null }
    const event = {
      ...{ namespace: 'ci', type: 'Warning', reason: 'FailedMount', subject, count: 9 },
      ...{ message: `MountVolume.SetUp failed: ${message}`, firstAt: readAt, lastAt: readAt },
    }
    const snapshot = snapshotOf({ cluster: { pods: listed([waitingManager('')]), events: listed([event]) } })
    expect(judged(gitlab, snapshot).findings).toMatchObject([{ confidence: 'likely' }])
  })

  it.each([
    ['a manager runs', manager()],
    ['a manager waits for something else', waitingManager('configmap "x" not found')],
    ['another pod waits', waitingManager(message, { containers: [containerFact({ image: 'nginx:1' })] })],
  ])('is not found where %s', (_, pod) => {
    expect(see({ pods: listed([pod]) })).toEqual([])
  })
})

describe('token-invalid', () => {
  const log = (...lines: string[]) => {
    const pod = { namespace: 'ci', name: 'gitlab-runner-7d9f' }
    const logs = listed([{ pod, container: 'gitlab-runner', role: 'manager' as const, lines, isCut: false }])
    return see({ pods: listed([manager()]), logs })
  }
  const refused = 'ERROR: Checking for jobs... forbidden   runner=t4ns81kwe status=403 Forbidden'

  it('is found where GitLab refused it last', () => {
    expect(log('Checking for jobs... received   job=1', refused)).toEqual([
      'token-invalid gitlab-runner-7d9f',
    ])
    expect(log('Verifying runner... is removed   runner=t4ns81kwe')).toEqual([
      'token-invalid gitlab-runner-7d9f',
    ])
  })

  it('is not found where a job came after it, or where GitLab was only away', () => {
    expect(log(refused, 'Checking for jobs... received   job=1')).toEqual([])
    expect(log('WARNING: Checking for jobs... failed   status=502 Bad Gateway')).toEqual([])
  })
})

describe('token-stale-in-pod', () => {
  const token = (minutes: number, given = {}) =>
    secretFact(
      'gitlab-runner',
      { 'runner-token': 'h' },
      {
        namespace: 'ci',
        createdAt: readAt - minutes * minuteMs,
        ...given,
      },
    )

  it('is found where the Secret was made after the manager began', () => {
    expect(see({ pods: listed([manager(300)]), secrets: listed([token(20)]) })).toEqual([
      'token-stale-in-pod gitlab-runner-7d9f',
    ])
  })

  it.each([
    ['the Secret is older', listed([token(400)])],
    ['there are two, and nobody says which counts', listed([token(20), token(30, { name: 'other' })])],
    ['not all Secrets were read', unread('secrets', [token(20)])],
    ['the Secret has no token', listed([secretFact('x', { password: 'h' }, { namespace: 'ci' })])],
  ])('is not found where %s', (_, secrets) => {
    expect(see({ pods: listed([manager(300)]), secrets })).toEqual([])
  })
})

describe('autoscalers of managers', () => {
  const failed = {
    ...{ type: 'AbleToScale', status: 'False', reason: 'FailedGetScale', at: null },
    message: 'deployments.apps "runner" not found',
  }

  it('are found where they scale nothing', () => {
    const wrong = autoscaler({ target: { kind: 'Deployment', name: 'runner' } })
    const seen = ['autoscaler-target-missing runner-hpa']
    expect(see({ deployments: listed([deployment()]), autoscalers: listed([wrong]) })).toEqual(seen)
    const unscalable = { ...wrong, conditions: [failed] }
    const deployments = unread('deployments', [deployment()])
    expect(see({ deployments, autoscalers: listed([unscalable]) })).toEqual(seen)
  })

  it('are not called without a target where Deployments could not be read, or far from managers', () => {
    const wrong = autoscaler({ target: { kind: 'Deployment', name: 'runner' } })
    const deployments = unread('deployments', [deployment()])
    expect(see({ deployments, autoscalers: listed([wrong]) })).toEqual([])
    const far = { ...wrong, namespace: 'shop' }
    expect(see({ deployments: listed([deployment()]), autoscalers: listed([far]) })).toEqual([])
  })

  it('are noticed where they add and remove managers, and not where their number is fixed', () => {
    const deployments = listed([deployment()])
    expect(see({ deployments, autoscalers: listed([autoscaler()]) })).toEqual([
      'manager-autoscaled runner-hpa',
    ])
    expect(see({ deployments, autoscalers: listed([autoscaler({ min: 2, max: 2 })]) })).toEqual([])
  })
})

describe('concurrency-above-quota', () => {
  const file = (memory: string, namespace = 'ci') =>
    `concurrent = 4\n[[runners]]\n  name = "a"\n  [runners.kubernetes]\n    namespace = "${namespace}"\n    memory_request = "${memory}"\n`
  const quotas = (hard: Readonly<Record<string, number>>) =>
    listed([{ ...objectFact('quota', 'ci'), isScoped: false, hard, used: {} }])
  const judge = (text: string, hard: Readonly<Record<string, number>>) =>
    see({ deployments: listed([deployment()]), quotas: quotas(hard) }, config(text))

  it('is found where the jobs of all managers take more pods or memory than it has', () => {
    expect(judge(file('1Gi'), { pods: 7 })).toEqual(['concurrency-above-quota quota'])
    expect(judge(file('5Gi'), { pods: 50, 'requests.memory': 32 * gib })).toEqual([
      'concurrency-above-quota quota',
    ])
  })

  it('counts the managers that an autoscaler may add', () => {
    const cluster = {
      deployments: listed([deployment()]),
      quotas: quotas({ pods: 10 }),
      autoscalers: listed([autoscaler()]),
    }
    expect(see(cluster, config(file('1Gi')))).toEqual([
      'concurrency-above-quota quota',
      'manager-autoscaled runner-hpa',
    ])
  })

  it('is not found where it all fits, or where the jobs are in another namespace', () => {
    expect(judge(file('4Gi'), { pods: 8, 'requests.memory': 32 * gib })).toEqual([])
    expect(judge(file('5Gi', 'other'), { pods: 1 })).toEqual([])
  })

  it('is not judged without the file, and says so where there is a manager', () => {
    const open = (pods: readonly PodFact[]) =>
      judged(gitlab, snapshotOf({ cluster: { pods: listed(pods) } })).unjudged
    expect(open([manager()])).toMatchObject([
      { class: 'concurrency-above-quota', needs: '--file config.toml' },
    ])
    expect(open([])).toEqual([])
  })
})

describe('orphaned-job-pods', () => {
  it('are found where they are older than every manager', () => {
    const snapshot = snapshotOf({ cluster: { pods: listed([manager(30), job(120)]) } })
    const [finding] = judged(gitlab, snapshot).findings
    expect(finding).toMatchObject({
      class: 'orphaned-job-pods',
      confidence: 'likely',
      subject: { name: 'ci' },
    })
    expect(finding?.nextAllowedAction.text).toContain('holdfast explain --namespace ci')
    expect(withRemedy(finding as Finding, joinSnapshot(snapshot)).nextAllowedAction.command).toBe(
      'holdfast fix gitlab-orphans --namespace ci',
    )
    expect(finding?.evidence.map(({ text }) => text).join()).toContain('its deadline ends it in 4 h')
  })

  it.each([
    ['a manager is older', [manager(30), manager(400), job(120)]],
    ['they are younger than the manager', [manager(300), job(120)]],
    ['they have ended', [manager(30), job(120, { phase: 'Failed' })]],
    ['they are going', [manager(30), job(120, { deletedAt: readAt })]],
    ['a manager began within a minute of them', [manager(119), job(120)]],
    ['no manager is in the cluster: it may be outside', [job(120)]],
    ['a manager is starting: it may have been there before', [waitingManager(''), job(120)]],
  ])('are not found where %s', (_, pods) => {
    expect(see({ pods: listed(pods) })).toEqual([])
  })

  it('are found next to the pod of a manager that has ended', () => {
    const pods = [manager(30), manager(400, { phase: 'Failed' }), job(120)]
    expect(see({ pods: listed(pods) })).toEqual(['orphaned-job-pods ci'])
  })

  it('are not judged where not every pod was read', () => {
    const part = snapshotOf({ cluster: { pods: unread('pods', [manager(30), job(120)]) } })
    const scoped = snapshotOf({
      cluster: { pods: listed([manager(30), job(120)]) },
      snapshot: { scope: { namespaces: ['ci'], labels: null, nodes: null } },
    })
    for (const snapshot of [part, scoped]) {
      const { findings, unjudged } = judged(gitlab, snapshot)
      expect(findings).toEqual([])
      expect(unjudged.map(({ class: name }) => name)).toContain('orphaned-job-pods')
    }
  })
})

describe('orphaned-job-namespace', () => {
  const namespace = (name: string, minutes: number) =>
    listed([{ ...objectFact(name, ''), createdAt: readAt - minutes * minuteMs, phase: 'Active' }])

  it('is found where it is older than two hours, and nothing runs in it', () => {
    expect(see({ namespaces: namespace('ci-job-17', 130) })).toEqual(['orphaned-job-namespace ci-job-17'])
  })

  it('is not found while it is young, while a pod lives in it, or where it is no namespace of a job', () => {
    expect(see({ namespaces: namespace('ci-job-17', 100) })).toEqual([])
    expect(see({ namespaces: namespace('ci-jobs', 900) })).toEqual([])
    const pods = listed([job(120, { namespace: 'ci-job-17' })])
    expect(see({ namespaces: namespace('ci-job-17', 130), pods })).toEqual([])
  })
})

describe('evidence-cleaner', () => {
  const cleaned = (line: string, given: Partial<CronJobFact> = {}) =>
    see({ pods: listed([manager()]), cronJobs: listed([cronJob(line, given)]) })

  it.each([
    'kubectl delete pods --field-selector=status.phase==Failed',
    'kubectl get pods --field-selector status.phase=Failed -o name | xargs -r kubectl delete --force',
  ])('is found: %s', (line) => {
    expect(cleaned(line)).toEqual(['evidence-cleaner cleanup'])
  })

  it.each([
    ['only succeeded pods go', 'kubectl delete pods --field-selector=status.phase==Succeeded', {}],
    ['nothing is deleted', 'kubectl get pods --field-selector=status.phase==Failed', {}],
    ['it is suspended', 'kubectl delete pods --field-selector=status.phase==Failed', { isSuspended: true }],
    [
      'it cleans elsewhere',
      'kubectl delete pods --field-selector=status.phase==Failed',
      { namespace: 'shop' },
    ],
  ])('is not found where %s', (_, line, given) => {
    expect(cleaned(line, given)).toEqual([])
  })

  it('says which part of it never does anything, and that it deletes by force', () => {
    const line =
      'kubectl get pods --field-selector metadata.deletionTimestamp!=null; kubectl delete pods --force --field-selector status.phase=Failed'
    const cluster = { pods: listed([manager()]), cronJobs: listed([cronJob(line)]) }
    const texts = judged(gitlab, snapshotOf({ cluster }))
      .findings[0]?.evidence.map(({ text }) => text)
      .join()
    expect(texts).toMatch(/by force.*no field selector/)
  })
})
