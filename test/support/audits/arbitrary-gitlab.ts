import fc from 'fast-check'
import type { ContainerStateFact, CronJobFact } from '../../../src/domain/snapshot/index.ts'
import {
  containerFact,
  minuteMs,
  objectFact,
  podFact,
  readAt,
  runningState,
  secretFact,
  waitingState,
} from '../../../src/domain/snapshot/testing/facts.ts'
import { deletedAt, mostly, past, someOf } from './choose.ts'

const gib = 2 ** 30
const image = 'registry.gitlab.com/gitlab-org/gitlab-runner:v19.4.0'
const namespaces = ['arc-runners', 'gitlab-runners'] as const

const jobPods = someOf(['0', '1'], (index) =>
  fc
    .record({
      namespace: mostly(...namespaces),
      phase: mostly('Running', 'Pending', 'Failed'),
      limit: mostly<number | null>(8, 1, null),
      runner: mostly('linux', 'gpu'),
      timeout: mostly<string | null>('1h0m0s', '10m0s', null),
      createdAt: past,
      deletedAt,
    })
    .map(({ limit, runner, timeout, ...given }) =>
      podFact(`runner-abc-project-1-concurrent-${index}-xyz`, {
        ...given,
        labels: { 'job.runner.gitlab.com/pod': 'x', 'manager.runner.gitlab.com/name': runner },
        annotations: timeout === null ? {} : { 'job.runner.gitlab.com/timeout': timeout },
        containers: [containerFact({ name: 'build', limits: limit === null ? {} : { memory: limit * gib } })],
      }),
    ),
)

const started = (minutes: number): ContainerStateFact => ({
  ...runningState,
  startedAt: readAt - minutes * minuteMs,
})

const managers = someOf(['gitlab-runner-1', 'gitlab-runner-2'], (name) =>
  mostly<ContainerStateFact | null>(
    started(90),
    started(1),
    null,
    waitingState('CreateContainerConfigError', 'secret "gitlab-runner" not found'),
  ).map((state) =>
    podFact(name, {
      namespace: 'gitlab-runners',
      containers: [containerFact({ name: 'manager', image })],
      statuses: [{ name: 'manager', isReady: true, restarts: 0, imageId: null, state, lastState: null }],
    }),
  ),
)

const cleaning: readonly [string, string] = [
  'kubectl delete pods --field-selector=status.phase==Failed',
  'kubectl get pods -A --field-selector status.phase=Failed -o name | xargs kubectl delete --force',
]

/** GitLab Runner: managers with all that belongs to them, job pods, and cleaners. */
export const gitlabFacts = fc.record({
  pods: fc.tuple(jobPods, managers).map((lists) => lists.flat()),
  deployments: someOf(['gitlab-runner'], (name) =>
    mostly(1, 0).map((available) => ({
      ...objectFact(name, 'gitlab-runners'),
      labels: {},
      replicas: 1,
      available,
      images: { manager: image },
      args: [],
    })),
  ),
  secrets: someOf(['gitlab-runner', 'gitlab-runner-2'], (name) =>
    past.map((createdAt) =>
      secretFact(name, { 'runner-token': 'h1' }, { namespace: 'gitlab-runners', createdAt }),
    ),
  ),
  logs: someOf(['gitlab-runner-1'], (name) =>
    mostly(
      'Checking for jobs... received job=1',
      'ERROR: Checking for jobs... forbidden runner=abc status=403 Forbidden',
    ).map((line) => ({
      pod: { namespace: 'gitlab-runners', name },
      container: 'manager',
      role: 'manager' as const,
      lines: [line],
      isCut: false,
    })),
  ),
  namespaces: someOf(['ci-job-17', 'gitlab-runners'], (name) =>
    fc
      .record({ createdAt: past, deletedAt })
      .map((given) => ({ ...objectFact(name, ''), ...given, phase: 'Active' })),
  ),
  cronJobs: someOf(['cleaner'], (name) =>
    fc
      .record({
        namespace: mostly(...namespaces),
        isSuspended: mostly(false, true),
        line: mostly(...cleaning),
      })
      .map(
        ({ line, ...given }): CronJobFact => ({
          ...objectFact(name),
          ...given,
          schedule: '*/5 * * * *',
          deleting: [line],
        }),
      ),
  ),
})
