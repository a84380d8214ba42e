import {
  type LaneReading,
  probeDeadlineAnnotation,
  probeIdAnnotation,
  probeLabel,
  probePlace,
} from '../../domain/remedy/index.ts'
import { keyOf, type PodFact } from '../../domain/snapshot/index.ts'
import {
  containerFact,
  objectFact,
  podFact,
  readAt,
  scaleSetFact,
  templateFact,
} from '../../domain/snapshot/testing/facts.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ProbeMade, Probes } from '../../ports/probes.ts'
import type { Removal } from '../../ports/remedy.ts'
import type { ProbeDeps } from '../probe/apply-probe.ts'
import { memoryTrail } from './memory-trail.ts'
import { digest, place } from './world.ts'

type State = PodFact['statuses'][number]['state']

/** For tests: a lane, the pods of probes in its namespace, and a kubelet that runs them, in virtual time. */
export class ProbeWorld {
  now = readAt
  lane: LaneReading | null = {
    set: scaleSetFact('linux', {
      template: templateFact({
        containers: [containerFact({ image: 'ghcr.io/acme/runner:1' })],
        imagePullSecrets: ['ghcr-pull'],
      }),
    }),
    generation: 3,
  }
  readonly pods = new Map<string, PodFact>()
  readonly trail = memoryTrail(digest)
  /** Pods that were ever made, by their probe's id. */
  readonly made: { readonly probeId: string; readonly rows: number }[] = []
  readonly removed: string[] = []
  readonly kept: string[] = []
  /** The state that the kubelet gives a pod; null: it never answers. */
  answer: State = ended('server=status:200\ncache=status:200\ncache-info=yes')
  /** Called before every port call. */
  disturb: () => void = () => {}
  loseNextAnswer: 'before' | 'after' | null = null
  failures = 0
  #versions = 100

  deps(): ProbeDeps {
    const { clock, probes, trail } = this
    const actor = { kind: 'person', name: 'ada' } as const
    return {
      ...{ site: 'test', clock, probes, trail, digest, actor, program: 'test' },
      keep: async (hash) => void this.kept.push(hash),
      deadline: () => new AbortController().signal,
    }
  }

  readonly clock: Clock = {
    now: () => this.now,
    sleep: async (delayMs) => {
      this.now += delayMs
      this.#run()
    },
    after: () => () => {},
  }

  readonly probes: Probes = {
    readLane: async () => {
      this.#step()
      return this.lane
    },
    readPod: async ({ namespace, name }) => {
      this.#step()
      return this.pods.get(keyOf({ namespace, name })) ?? null
    },
    make: async ({ kind, lane, probeId, deadlineSeconds }) => {
      this.#step()
      const lost = this.#lost()
      if (lost === 'before') return 'unknown'
      const { set, generation } = this.lane ?? {}
      if (set?.uid !== lane.uid || generation !== lane.generation) return 'conflict'
      const made = this.put(kind, probeId, deadlineSeconds)
      return lost === 'after' ? 'unknown' : made
    },
    remove: async (target) => {
      this.#step()
      const lost = this.#lost()
      if (lost === 'before') return 'unknown'
      const removal = this.#remove(target)
      return lost === 'after' ? 'unknown' : removal
    },
  }

  put(kind: 'image-pull' | 'nix-cache' | 'npm-tls', probeId: string, deadlineSeconds = 300): ProbeMade {
    const { namespace, name } = probePlace(kind, place.namespace)
    if (this.pods.has(keyOf({ namespace, name }))) return 'exists'
    this.made.push({ probeId, rows: this.trail.kept.filter(({ step }) => step === 're-checked').length })
    const annotations = { [probeIdAnnotation]: probeId, [probeDeadlineAnnotation]: String(deadlineSeconds) }
    this.pods.set(
      keyOf({ namespace, name }),
      podFact(name, {
        ...objectFact(name, namespace),
        uid: `uid-${this.made.length}`,
        resourceVersion: this.#next(),
        createdAt: this.now,
        labels: { [probeLabel]: kind },
        annotations,
        owner: null,
        statuses: [],
        phase: 'Pending',
      }),
    )
    return 'made'
  }

  /** Somebody writes the pod, as a kubelet does. */
  write(name: string, given: Partial<PodFact> = {}): void {
    const key = keyOf({ namespace: place.namespace, name })
    const pod = this.pods.get(key)
    if (pod !== undefined) this.pods.set(key, { ...pod, ...given, resourceVersion: this.#next() })
  }

  #remove({ namespace, name, uid, resourceVersion }: Parameters<Probes['remove']>[0]): Removal {
    const key = keyOf({ namespace, name })
    const pod = this.pods.get(key)
    if (pod === undefined) return 'gone'
    if (pod.uid !== uid || pod.resourceVersion !== resourceVersion) return 'conflict'
    this.pods.delete(key)
    this.removed.push(uid)
    return 'removed'
  }

  /** The kubelet: pods without a status get the world's answer. */
  #run(): void {
    for (const { name, statuses } of this.pods.values()) {
      if (statuses.length > 0 || this.answer === null) continue
      const status = { name: 'probe', isReady: false, restarts: 0, imageId: 'sha256:1', lastState: null }
      this.write(name, { node: 'node-1', statuses: [{ ...status, state: this.answer }] })
    }
  }

  #lost(): 'before' | 'after' | null {
    const lost = this.loseNextAnswer
    this.loseNextAnswer = null
    return lost
  }

  #step(): void {
    this.disturb()
    if (this.failures === 0) return
    this.failures -= 1
    throw new Error('the API server does not answer')
  }

  #next(): string {
    this.#versions += 1
    return String(this.#versions)
  }
}

/** For tests: a container that ended, and what it said. */
export function ended(message: string, exitCode = 0): NonNullable<State> {
  const reason = exitCode === 0 ? 'Completed' : 'Error'
  return { kind: 'terminated', reason, message, exitCode, signal: null, startedAt: null, finishedAt: null }
}
