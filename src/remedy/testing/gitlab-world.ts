import type { PodFact } from '../../domain/snapshot/index.ts'
import {
  containerFact,
  minuteMs,
  podFact,
  readAt,
  runningState,
  terminatedState,
} from '../../domain/snapshot/testing/facts.ts'
import type { Clock } from '../../ports/clock.ts'
import type { GitlabJobs, RemedyPods } from '../../ports/remedy-gitlab.ts'
import type { RemedyDeps } from '../deps.ts'
import type { GitlabSources } from '../gitlab-orphans/plan-gitlab-orphans.ts'
import { memoryTrail } from './memory-trail.ts'
import { digest } from './world.ts'

export const orphanName = 'runner-t4ns81kwe-project-31-concurrent-0-k2p9wq4d'

/** For tests: a job pod that lost its manager, a manager that began later, and the GitLab of the job. */
export class GitlabWorld {
  now = readAt
  readonly trail = memoryTrail(digest)
  readonly stored = new Map<string, PodFact>()
  /** By GitLab's word; null: it shows no such job. */
  jobStatus: string | null = 'failed'
  hasToken = true
  /** UIDs of pods whose deletion was taken on. */
  readonly acts: string[] = []
  /** Called before every port call. */
  disturb: () => void = () => {}
  loseNextAnswer: 'before' | 'after' | null = null
  isGitlabAway = false
  #version = 1

  constructor() {
    this.put(jobPod(120))
    this.put(managerPod(30))
  }

  put(pod: PodFact): void {
    this.#version += 1
    this.stored.set(pod.name, { ...pod, resourceVersion: String(this.#version) })
  }

  change(name: string, given: Partial<PodFact>): void {
    const pod = this.stored.get(name)
    if (pod !== undefined) this.put({ ...pod, ...given })
  }

  deps(): RemedyDeps & GitlabSources {
    const { clock, pods, trail } = this
    const actor = { kind: 'person', name: 'ada' } as const
    const gitlab = this.hasToken ? this.gitlab : null
    return { site: 'test', clock, pods, gitlab, trail, digest, actor, program: 'test' }
  }

  readonly clock: Clock = {
    now: () => this.now,
    sleep: async (delayMs) => {
      this.now += delayMs
      for (const { name, deletedAt } of [...this.stored.values()])
        if (deletedAt !== null) this.stored.delete(name)
    },
    after: () => () => {},
  }

  readonly pods: RemedyPods = {
    listPods: async () => {
      this.disturb()
      return { at: this.now, pods: [...this.stored.values()] }
    },
    readPod: async ({ name }) => this.stored.get(name) ?? null,
    removePod: async ({ name, uid, resourceVersion }) => {
      this.disturb()
      const lost = this.loseNextAnswer
      this.loseNextAnswer = null
      if (lost === 'before') return 'unknown'
      const pod = this.stored.get(name)
      if (pod === undefined) return 'gone'
      if (pod.uid !== uid || pod.resourceVersion !== resourceVersion) return 'conflict'
      this.change(name, { deletedAt: this.now })
      this.acts.push(uid)
      return lost === 'after' ? 'unknown' : 'removed'
    },
  }

  readonly gitlab: GitlabJobs = {
    url: 'https://gitlab.example.com',
    readJob: async () => {
      this.disturb()
      if (this.isGitlabAway) throw new Error('no answer')
      return { at: this.now, status: this.jobStatus }
    },
  }
}

/** A job pod that was made so many minutes ago; its script still runs. */
export function jobPod(minutes: number, given: Partial<PodFact> = {}): PodFact {
  const at = readAt - minutes * minuteMs
  return podFact(orphanName, {
    namespace: 'ci',
    labels: { 'job.runner.gitlab.com/pod': 'x' },
    annotations: {
      'job.runner.gitlab.com/id': '9117',
      'job.runner.gitlab.com/url': 'https://gitlab.example.com/acme/web/-/jobs/9117',
      'job.runner.gitlab.com/timeout': '6h0m0s',
      'project.runner.gitlab.com/id': '31',
    },
    createdAt: at,
    startedAt: at,
    statuses: ['build', 'helper'].map((name) => statusOf(name, runningState)),
    ...given,
  })
}

/** A manager whose process began so many minutes ago. */
export function managerPod(minutes: number, given: Partial<PodFact> = {}): PodFact {
  const state = { ...runningState, startedAt: readAt - minutes * minuteMs }
  return podFact('gitlab-runner-6f7d9c-x2k4p', {
    namespace: 'ci',
    containers: [containerFact({ name: 'gitlab-runner', image: 'gitlab/gitlab-runner:v19.4.0' })],
    statuses: [statusOf('gitlab-runner', state)],
    ...given,
  })
}

/** The states of a job pod whose containers ended so many minutes ago. */
export function endedStatuses(minutes: number): PodFact['statuses'] {
  const state = terminatedState(137, 'Error')
  const finishedAt = readAt - minutes * minuteMs
  return ['build', 'helper'].map((name) => statusOf(name, { ...state, finishedAt }))
}

function statusOf(name: string, state: PodFact['statuses'][number]['state']): PodFact['statuses'][number] {
  return { name, isReady: true, restarts: 0, imageId: null, state, lastState: null }
}
