import type { ListenerFact, ObjectRef, PodFact, ScaleSetFact } from '../../domain/snapshot/index.ts'
import {
  listenerFact,
  minuteMs,
  podFact,
  readAt,
  runningState,
  scaleSetFact,
} from '../../domain/snapshot/testing/facts.ts'
import type { Clock } from '../../ports/clock.ts'
import type { RemedyCredentials } from '../../ports/remedy-credentials.ts'
import type { RemedyDeps } from '../deps.ts'
import type { CredentialSources } from '../secret-drift/secret-drift-treatment.ts'
import { type MemoryTrail, memoryTrail } from './memory-trail.ts'
import { SecretsTwin } from './secrets-twin.ts'
import { digest, place } from './world.ts'

export const goodToken = 'planted-good-token-4e7a'
export const staleToken = 'planted-stale-token-c09d'
export const [own, other] = ['arc-runners/github-app', 'arc-systems/github-app']
const served = 'time=2026-06-01T02:59:00Z level=INFO msg="Getting next message" component=listener'
const refused = 'level=ERROR msg="Application returned an error" error="403 Forbidden"'

/** For tests: a set whose listener has its session with one credential, while the copy in its namespace is another. */
export class CredentialsWorld extends SecretsTwin {
  readonly trail: MemoryTrail
  /** Re-checks that passed, and when they stood in the trail. */
  readonly rowTicks: number[] = []
  set: ScaleSetFact = scaleSetFact()
  listener: ListenerFact | null = listenerFact()
  pod: PodFact | null = listenerPod(readAt - 60 * minuteMs)
  lines: readonly string[] = ['starting', served]
  users: readonly ObjectRef[] = []

  constructor() {
    super()
    this.put(own, { github_token: goodToken })
    this.put(other, { github_token: staleToken })
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

  /** The session ends; the listener says so in its log. */
  loseSession(): void {
    this.lines = [...this.lines, refused]
    this.note('the session was lost')
  }

  /** A set next to the listeners names the other copy. */
  beginUse(): void {
    this.users = [{ namespace: 'arc-systems', name: 'another' }]
    this.note('another set began')
  }

  deps(): RemedyDeps & CredentialSources {
    const { clock, cluster, secrets, credentials, trail } = this
    const actor = { kind: 'person', name: 'ada' } as const
    return { site: 'test', clock, cluster, secrets, credentials, trail, digest, actor, program: 'test' }
  }

  readonly clock: Clock = {
    now: () => this.now,
    sleep: async (delayMs) => {
      this.now += delayMs
    },
    after: () => () => {},
  }

  readonly cluster: CredentialSources['cluster'] = {
    listSets: async () => [place],
    readPod: async () => this.pod,
    readSet: async () => {
      this.step()
      this.note('the set was read')
      const { now: at, set, listener, pod } = this
      return {
        at,
        place,
        set,
        generations: [],
        runners: [],
        listeners: listener === null ? [] : [listener],
        listenerPods: pod === null ? [] : [pod],
      }
    },
  }

  readonly credentials: RemedyCredentials = {
    setsNaming: async () => {
      this.step()
      this.note('users were read')
      return this.users
    },
    readLog: async () => {
      this.step()
      this.note('the log was read')
      return this.lines
    },
  }
}

/** For tests: the pod of the listener, made at this time. */
export function listenerPod(createdAt: number, state = runningState): PodFact {
  const statuses = [{ name: 'listener', isReady: true, restarts: 0, imageId: null, state, lastState: null }]
  return podFact('linux-listener', { namespace: 'arc-systems', createdAt, statuses })
}
