import { pullSecretKey } from '../../domain/remedy/index.ts'
import type { ListenerFact, PodFact } from '../../domain/snapshot/index.ts'
import {
  listenerFact,
  minuteMs,
  objectFact,
  podFact,
  readAt,
  runningState,
  scaleSetFact,
  secretFact,
  waitingState,
} from '../../domain/snapshot/testing/facts.ts'
import type { Clock } from '../../ports/clock.ts'
import type { RemedySecrets } from '../../ports/remedy-secrets.ts'
import type { RemedyDeps } from '../deps.ts'
import type { SecretSources } from '../pull-secrets/pull-secrets-treatment.ts'
import { memoryTrail } from './memory-trail.ts'
import { digest, place } from './world.ts'

interface Stored {
  value: string
  uid: string
  version: number
  type: string
  registries: readonly string[]
  writtenAt: number
}

export const goodValue = 'planted-good-credential-7f3a'
const staleValue = 'planted-stale-credential-91bc'
const listenerPlace = { namespace: 'arc-systems', name: 'linux-listener' }

/** For tests: a listener that cannot pull with the controller's copy of a pull secret, while runners pull with theirs. */
export class SecretsWorld {
  now = readAt
  readonly trail = memoryTrail(digest)
  readonly stored = new Map<string, Stored>()
  listener: ListenerFact = listenerFact('linux', { imagePullSecrets: ['ghcr-pull'] })
  listenerPod: PodFact | null = waitingPod(1)
  runnerPods: PodFact[] = [podFact('r1', { imagePullSecrets: ['ghcr-pull'] })]
  pulledMessage = 'Successfully pulled image "ghcr.io/actions/actions-runner:2.334.0" in 3s'
  pulledAt = readAt - 10 * minuteMs
  /** Writes that took effect. */
  readonly acts: string[] = []
  /** Called before every port call. */
  disturb: () => void = () => {}
  loseNextAnswer: 'before' | 'after' | null = null
  #pods = 1

  constructor() {
    this.put('arc-runners', goodValue)
    this.put('arc-systems', staleValue)
  }

  put(namespace: string, value: string, given: Partial<Stored> = {}): void {
    const before = this.stored.get(namespace)
    const version = (before?.version ?? 1) + 1
    const state = { uid: before?.uid ?? `uid-${namespace}-ghcr-pull`, version }
    const form = { type: 'kubernetes.io/dockerconfigjson', registries: ['ghcr.io'] }
    this.stored.set(namespace, { ...form, value, ...state, writtenAt: this.now - 60 * minuteMs, ...given })
  }

  /** ARC makes the listener's pod again; it runs where its pull secret is good. */
  reconcile(): void {
    if (this.listenerPod !== null) return
    this.#pods += 1
    const isGood = this.stored.get('arc-systems')?.value === goodValue
    this.listenerPod = isGood ? runningPod(this.#pods) : waitingPod(this.#pods)
  }

  deps(): RemedyDeps & SecretSources {
    const { clock, cluster, secrets, trail } = this
    const actor = { kind: 'person', name: 'ada' } as const
    return { site: 'test', clock, cluster, secrets, trail, digest, actor, program: 'test' }
  }

  readonly clock: Clock = {
    now: () => this.now,
    sleep: async (delayMs) => {
      this.now += delayMs
      this.reconcile()
    },
    after: () => () => {},
  }

  readonly cluster: SecretSources['cluster'] = {
    listSets: async () => [place],
    readSet: async () => ({
      at: this.now,
      place,
      set: scaleSetFact(),
      generations: [],
      runners: [],
      listeners: [this.listener],
      listenerPods: [],
    }),
    readPod: async () => {
      this.disturb()
      return this.listenerPod
    },
  }

  readonly secrets: RemedySecrets = {
    readSecret: async ({ namespace, name }, salt) => {
      this.disturb()
      const found = this.stored.get(namespace)
      if (found === undefined) return null
      const { value, uid, version, type, registries, writtenAt } = found
      const object = { ...objectFact(name, namespace), uid, resourceVersion: String(version) }
      const hash = digest(`${salt}\n${value}`)
      return {
        secret: secretFact(name, { [pullSecretKey]: hash }, { ...object, type, registries }),
        writtenAt,
      }
    },
    copyKeys: async ({ from, to }) => {
      this.disturb()
      const lost = this.loseNextAnswer
      this.loseNextAnswer = null
      if (lost === 'before') return 'unknown'
      const source = this.stored.get(from.namespace)
      if (source === undefined) return 'gone'
      const target = this.stored.get(to.namespace)
      const isExact =
        to.state === null
          ? target === undefined
          : target?.uid === to.state.uid && String(target.version) === to.state.resourceVersion
      if (source.uid !== from.uid || String(source.version) !== from.resourceVersion || !isExact)
        return 'conflict'
      this.put(to.namespace, source.value, { writtenAt: this.now })
      this.acts.push('copied')
      return lost === 'after' ? 'unknown' : 'copied'
    },
    listPods: async () => this.runnerPods,
    listEvents: async () =>
      this.runnerPods.map(({ name, uid }) => ({
        namespace: 'arc-runners',
        type: 'Normal',
        reason: 'Pulled',
        message: this.pulledMessage,
        subject: { kind: 'Pod', name, uid },
        count: 1,
        firstAt: this.pulledAt,
        lastAt: this.pulledAt,
      })),
    removePod: async ({ uid, resourceVersion }) => {
      this.disturb()
      const pod = this.listenerPod
      if (pod === null) return 'gone'
      if (pod.uid !== uid || pod.resourceVersion !== resourceVersion) return 'conflict'
      this.listenerPod = null
      this.acts.push('pod removed')
      return 'removed'
    },
  }
}

function waitingPod(number: number): PodFact {
  return listenerPodWith(number, waitingState('ImagePullBackOff'))
}

export function runningPod(number: number): PodFact {
  return listenerPodWith(number, runningState)
}

function listenerPodWith(number: number, state: PodFact['statuses'][number]['state']): PodFact {
  const status = { name: 'listener', isReady: false, restarts: 0, imageId: null, lastState: null }
  const { namespace, name } = listenerPlace
  return podFact(name, { namespace, uid: `uid-pod-${number}`, statuses: [{ ...status, state }] })
}
