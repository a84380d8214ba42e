import type { PodFact } from '../../domain/snapshot/index.ts'
import {
  containerFact,
  minuteMs,
  podFact,
  readAt,
  runningState,
} from '../../domain/snapshot/testing/facts.ts'
import type { Clock } from '../../ports/clock.ts'
import type { GitlabApi, StoredTokens } from '../../ports/gitlab.ts'
import type { RemedyManagers } from '../../ports/remedy-managers.ts'
import type { RemedySecrets } from '../../ports/remedy-secrets.ts'
import type { RemedyDeps } from '../deps.ts'
import type { ManagerSources } from '../gitlab-token/gitlab-token-treatment.ts'
import { type MemoryTrail, memoryTrail } from './memory-trail.ts'
import { SecretsTwin } from './secrets-twin.ts'
import { digest } from './world.ts'

export const manager = { namespace: 'ci', name: 'gitlab-runner' }
export const tokenSecret = 'ci/gitlab-runner'
export const newToken = 'planted-glrt-new-51aa'
const refusal = 'ERROR: Checking for jobs... forbidden  runner=oldtoken status=POST: 403 Forbidden'
const accepted = 'Verifying runner... is valid  runner=newtoken'
const image = 'registry.gitlab.com/gitlab-org/gitlab-runner:alpine-v17.5.0'

interface RestartAct {
  readonly uid: string
  readonly resourceVersion: string
  readonly tick: number
  readonly at: number
  readonly hadJobs: boolean
}

/** For tests: a manager whose token GitLab refuses, while its Secret has a newer one; with its Deployment and GitLab. */
export class GitlabWorld extends SecretsTwin<RestartAct> {
  readonly trail: MemoryTrail
  readonly rowTicks: number[] = []
  version = 7
  uid = 'uid-deployment'
  mark: string | null = null
  images: readonly string[] = [image]
  secretNames: readonly string[] = ['gitlab-runner', 'another']
  isRolledOut = true
  pods: PodFact[] = [managerPod(1, readAt - 300 * minuteMs)]
  jobPods: PodFact[] = []
  lines: readonly string[] = [refusal]
  /** The runner at GitLab; the Secret's token is one of 31, where it is the new one. */
  runner = { status: 'offline', contactedAt: (readAt - 200 * minuteMs) as number | null }
  runningJobs: number[] = []
  isTokenAccepted = true

  constructor() {
    super()
    this.put(tokenSecret, { 'runner-token': newToken, 'runner-registration-token': '' })
    this.put('ci/another', { password: 'planted-other-0c0c' })
    const { append, ...rest } = memoryTrail(digest)
    this.trail = {
      ...rest,
      append: async (entry) => {
        this.tick += 1
        this.disturb()
        if (entry.step === 're-checked') this.rowTicks.push(this.tick)
        return append(entry)
      },
    }
  }

  get restarts(): readonly RestartAct[] {
    return this.acts
  }

  startJob(): void {
    this.runningJobs = [900]
    this.note('a job started')
  }

  startJobPod(): void {
    this.jobPods = [podFact('runner-x-project-1-concurrent-0-abc', { namespace: 'ci' })]
    this.note('a job pod started')
  }

  /** GitLab takes the old token after all: the manager works again. */
  recover(): void {
    this.lines = [...this.lines, 'Checking for jobs... received  job=901']
    this.note('the manager recovered')
  }

  revoke(): void {
    this.isTokenAccepted = false
    this.note('the token was revoked')
  }

  /** The Deployment makes its pods again; they register with the token of the Secret. */
  reconcile(): void {
    if (this.mark === null || this.isRolledOut) return
    this.pods = [managerPod(2, this.now)]
    this.isRolledOut = true
    this.lines = this.isTokenAccepted ? [accepted] : [refusal]
    if (this.isTokenAccepted) this.runner = { status: 'online', contactedAt: this.now + 1_000 }
  }

  deps(): RemedyDeps & ManagerSources {
    const { clock, managers, gitlab, tokens, trail } = this
    const actor = { kind: 'person', name: 'ada' } as const
    const own = { site: 'test', clock, trail, digest, actor, program: 'test' }
    const secrets: Pick<RemedySecrets, 'readSecret' | 'listPods'> = {
      ...this.secrets,
      listPods: this.listPods,
    }
    const credentials = {
      readLog: async () => {
        this.step()
        this.note('the log was read')
        return this.lines
      },
    }
    return { ...own, managers, gitlab, tokens, secrets, credentials }
  }

  readonly clock: Clock = {
    now: () => this.now,
    sleep: async (delayMs) => {
      this.now += delayMs
      this.reconcile()
    },
    after: () => () => {},
  }

  readonly listPods = async (): Promise<readonly PodFact[]> => {
    this.step()
    this.note('pods were read')
    return [...this.pods, ...this.jobPods]
  }

  readonly managers: RemedyManagers = {
    readDeployment: async () => {
      this.step()
      const { uid, version, images, secretNames, mark, isRolledOut } = this
      const selector = { app: 'gitlab-runner' }
      return { uid, resourceVersion: String(version), images, selector, secretNames, mark, isRolledOut }
    },
    restart: async ({ uid, resourceVersion }, mark) => {
      const at = this.now
      this.tick += 1
      this.disturb()
      const lost = this.loseNextAnswer
      this.loseNextAnswer = null
      if (lost === 'before') return 'unknown'
      if (uid !== this.uid) return 'gone'
      if (resourceVersion !== String(this.version)) return 'conflict'
      this.version += 1
      this.mark = mark
      this.isRolledOut = false
      const hadJobs = this.runningJobs.length + this.jobPods.length > 0
      this.acts.push({ uid, resourceVersion, tick: this.tick, at, hadJobs })
      return lost === 'after' ? 'unknown' : 'restarted'
    },
  }

  readonly gitlab: Pick<GitlabApi, 'readRunner' | 'runningJobs'> = {
    readRunner: async (id) => {
      this.step()
      return id === 31 ? this.runner : null
    },
    runningJobs: async () => {
      this.step()
      this.note('jobs were read')
      return this.runningJobs
    },
  }

  readonly tokens: StoredTokens = {
    runnerOf: async ({ uid, resourceVersion }) => {
      this.step()
      this.note('the token was asked about')
      const found = this.stored.get(tokenSecret)
      const isSame = found?.uid === uid && String(found.version) === resourceVersion
      return isSame && this.isTokenAccepted ? 31 : null
    },
  }
}

function managerPod(number: number, startedAt: number): PodFact {
  const state = { ...runningState, startedAt }
  const statuses = [{ name: 'runner', isReady: true, restarts: 0, imageId: null, state, lastState: null }]
  const labels = { app: 'gitlab-runner' }
  const containers = [containerFact({ name: 'runner', image })]
  return podFact(`gitlab-runner-${number}`, {
    namespace: 'ci',
    uid: `uid-m${number}`,
    labels,
    containers,
    statuses,
  })
}
