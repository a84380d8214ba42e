import { registrationFinalizer } from '../../domain/remedy/index.ts'
import type { Caps } from '../../domain/remedy/managed-apply/index.ts'
import type {
  ForgeJobFact,
  ListenerFact,
  PodFact,
  RunnerFact,
  RunnerJobFact,
  RunnerSetFact,
  ScaleSetFact,
} from '../../domain/snapshot/index.ts'
import {
  forgeJobFact,
  listenerFact,
  minuteMs,
  objectFact,
  podFact,
  readAt,
  runnerFact,
  runnerSetFact,
  runningState,
  scaleSetFact,
} from '../../domain/snapshot/testing/facts.ts'
import type { Actor } from '../../domain/trail/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Exactly } from '../../ports/cluster.ts'
import type { RemedyCluster, RemedyForge, Removal } from '../../ports/remedy.ts'
import type { RemedyDeps } from '../deps.ts'
import type { RunnerSources } from '../runner/runner-treatment.ts'
import { CapsTwin } from './caps-twin.ts'
import { type MemoryTrail, memoryTrail } from './memory-trail.ts'

/** For tests: FNV-1a, which is quick and separates what differs here. */
export function digest(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}

export const place = { namespace: 'arc-runners', name: 'linux' }
export const someJob: RunnerJobFact = {
  requestId: '7',
  id: null,
  name: 'build',
  repository: 'acme/web',
  workflowRef: null,
  runId: 1,
}
const person: Actor = { kind: 'person', name: 'ada' }

/** Long after its sender has gone on. */
const latePatchCalls = 25

export type ReapDeps = RemedyDeps & RunnerSources

interface AtForge {
  id: number
  isOnline: boolean
  /** When its job began; null: it has none. */
  busySince: number | null
}

/** One call of an operator. */
interface Called {
  readonly tick: number
  readonly operator: number
}

/** A deletion that took effect, and what the fleet was like then. */
export interface Act {
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  /** When it was asked for. */
  readonly at: number
  /** The count of port calls: an order of events. */
  readonly tick: number
  readonly busySince: number | null
  /** The number of the operator who asked for the deletion. */
  readonly operator: number
  /** The object as it was. */
  readonly runner: RunnerFact
  readonly isListenerUp: boolean
  /** When the job of each busy runner began. */
  readonly busy: ReadonlyMap<string, number>
}

/**
 * For tests: one set of ARC with its controller, listener and forge, in virtual time. ARC's finalizer asks the forge before a
 * pod ends, and the forge refuses while a job runs; without the finalizer the pod ends at once, job or not.
 */
export class RemedyWorld {
  now = readAt
  tick = 0
  isListenerUp = true
  /** ARC makes the listener again only when no runner is left. */
  isBlocked = false
  /** The forge refuses ARC's credential: deletions hang in the finalizer. */
  isCredentialDead = false
  set: ScaleSetFact = scaleSetFact()
  generations: RunnerSetFact[] = [runnerSetFact('linux', { replicas: 1 })]
  readonly runners = new Map<string, RunnerFact>()
  readonly atForge = new Map<string, AtForge>()
  /** Pods that are not the running one of an idle runner; null: there is none. */
  readonly pods = new Map<string, PodFact | null>()
  /** Jobs at the forge, by number. */
  readonly jobs = new Map<number, ForgeJobFact>()
  readonly trail: MemoryTrail
  /** Called before every port call: the world may change between any two steps. */
  disturb: () => void = () => {}
  readonly acts: Act[] = []
  /** Runners whose pod was ended while the forge had a job on them. */
  readonly lostJobs: string[] = []
  /** The same by their UIDs, which no later runner has. */
  readonly lostUids = new Set<string>()
  /** Whose call is served: of several operators at once, each decides by its own readings. */
  operator = 0
  /** When the forge was asked about a runner, and by whom. */
  readonly asked = new Map<string, Called[]>()
  /** Changes that no object of a runner shows, and the reads that show them. */
  readonly noted: ({ readonly what: string } & Called)[] = []
  forgeFailures = 0
  clusterFailures = 0
  /** `late`: a patch of caps arrives some calls later. */
  loseNextAnswer: 'before' | 'after' | 'late' | null = null
  readonly caps = new CapsTwin()
  #versions = 100
  #uids = 0

  /** Passed re-checks, and when they stood in the trail. */
  readonly rowTicks: ({ readonly subject: string | null } & Called)[] = []

  constructor() {
    const { append, ...rest } = memoryTrail(digest)
    this.trail = {
      ...rest,
      append: async (entry) => {
        this.#step()
        if (entry.step === 're-checked') this.rowTicks.push({ subject: entry.subject, ...this.#called() })
        return append(entry)
      },
    }
  }

  /** Adds an idle runner of a generation, two hours old and online. */
  addRunner(name: string, given: Partial<RunnerFact> = {}): RunnerFact {
    this.#uids += 1
    const runner = runnerFact(name, {
      ...objectFact(name),
      uid: `uid-${name}-${this.#uids}`,
      resourceVersion: this.#nextVersion(),
      finalizers: ['ephemeralrunner.actions.github.com/finalizer', registrationFinalizer],
      ...given,
    })
    this.runners.set(name, runner)
    this.atForge.set(name, { id: this.#uids, isOnline: true, busySince: null })
    return runner
  }

  /** Adds a runner whose pod the API server refused: no pod, no registration, its slot held for good. */
  addFailed(name: string, given: Partial<RunnerFact> = {}): void {
    const message = `Failed to create the pod: pods "${name}" is forbidden: violates PodSecurity`
    this.addRunner(name, { phase: 'Failed', reason: 'InvalidPod', message, isReady: false, ...given })
    this.atForge.delete(name)
    this.pods.set(name, null)
    this.note(`${name} failed`)
  }

  /** The pod of a runner that had none comes after all, and registers. The runner's object does not show it. */
  startPod(name: string): void {
    if (!this.runners.has(name) || this.pods.get(name) !== null) return
    this.pods.set(name, podFact(name))
    this.atForge.set(name, { id: 900, isOnline: true, busySince: null })
    this.note(`the pod of ${name} started`)
  }

  note(what: string): void {
    this.noted.push({ what, ...this.#called() })
  }

  change(name: string, given: Partial<RunnerFact> = {}): void {
    const runner = this.runners.get(name)
    if (runner !== undefined)
      this.runners.set(name, { ...runner, ...given, resourceVersion: this.#nextVersion() })
  }

  /** The forge gives a runner a job; the cluster learns of it when its listener writes it. */
  startJob(name: string): void {
    const found = this.atForge.get(name)
    if (found?.isOnline && found.busySince === null) found.busySince = this.tick
  }

  /** A job that waits leaves the queue: it starts on a runner, or is cancelled. */
  leaveQueue(runnerName: string | null): void {
    for (const [id, job] of this.jobs) {
      if (job.status !== 'queued') continue
      const status = runnerName === null ? 'completed' : 'in_progress'
      this.jobs.set(id, { ...job, status, runnerName })
      this.note('the job left the queue')
    }
  }

  raiseListener(): void {
    this.isListenerUp = true
    this.note('the listener came')
  }

  widenLane(): void {
    this.caps.write({ maxRunners: 10 })
    this.note('the lane was widened')
  }

  goOffline(name: string): void {
    const found = this.atForge.get(name)
    if (found === undefined || !found.isOnline) return
    found.isOnline = false
    this.note(`${name} went offline`)
  }

  endJob(name: string): void {
    const found = this.atForge.get(name)
    if (found !== undefined) found.busySince = null
    if (this.runners.get(name)?.job) this.change(name, { job: null })
  }

  /** One pass of ARC: its listener writes jobs, its controller settles deletions, and takes idle runners of a frozen set down. */
  reconcile(): void {
    this.caps.listener = this.caps.current
    if (this.caps.current.maxRunners === 0)
      for (const { name, job } of [...this.runners.values()])
        if (job === null && !this.#isBusy(name)) this.#end(name)
    for (const { name, job, deletedAt } of [...this.runners.values()]) {
      const isBusy = this.#isBusy(name)
      if (this.isListenerUp && isBusy && job === null) this.change(name, { job: someJob })
      if (deletedAt !== null && !isBusy && !this.isCredentialDead) this.#end(name)
    }
    const isQueued = [...this.jobs.values()].some(({ status }) => status === 'queued')
    if (isQueued && this.runners.size === 0 && this.isListenerUp) {
      this.addRunner('replacement')
      this.startJob('replacement')
      this.leaveQueue('replacement')
    }
    if (this.isBlocked && this.runners.size === 0) this.isListenerUp = true
    for (const { uid, deletedAt } of this.generations) {
      const isEmpty = [...this.runners.values()].every(({ runnerSet }) => runnerSet?.uid !== uid)
      if (deletedAt !== null && isEmpty)
        this.generations = this.generations.filter((each) => each.uid !== uid)
    }
  }

  /** Somebody deletes it with kubectl. */
  requestDeletion(name: string): void {
    const runner = this.runners.get(name)
    if (runner === undefined || runner.deletedAt !== null) return
    if (runner.finalizers.length === 0) this.#end(name)
    else this.change(name, { deletedAt: this.now })
  }

  stripFinalizers(name: string): void {
    this.change(name, { finalizers: [] })
    if (this.runners.get(name)?.deletedAt !== null) this.#end(name)
  }

  deps(given: Partial<ReapDeps> = {}): ReapDeps {
    const { clock, cluster, forge, trail } = this
    return { site: 'test', clock, cluster, forge, trail, digest, actor: person, program: 'test', ...given }
  }

  /** The same ports, whose calls are those of one operator: each is served before it first waits. */
  depsOf(operator: number): ReapDeps {
    const { clock, cluster, forge, trail, ...rest } = this.deps()
    const as = <P extends object>(port: P): P =>
      Object.fromEntries(
        Object.entries(port).map(([key, value]) => [
          key,
          typeof value === 'function' ? served(value) : value,
        ]),
      ) as P
    const served =
      (call: (...args: unknown[]) => unknown) =>
      (...args: unknown[]) => {
        this.operator = operator
        return call(...args)
      }
    return { ...rest, clock: as(clock), cluster: as(cluster), forge: as(forge), trail: as(trail) }
  }

  readonly clock: Clock = {
    now: () => this.now,
    sleep: async (delayMs) => {
      this.now += delayMs
      this.#step()
      this.reconcile()
    },
    after: () => () => {},
  }

  readonly forge: RemedyForge = {
    host: 'github.com',
    readQueuedJobs: async ({ scope, repository }) => {
      this.#askable()
      return [...this.jobs.values()].filter(
        (job) =>
          job.status === 'queued' &&
          (repository === null ? job.repository.startsWith(`${scope}/`) : job.repository === repository),
      )
    },
    readJob: async ({ jobId }) => {
      this.#askable()
      this.note('the job was read')
      return { at: this.now, job: this.jobs.get(jobId) ?? null }
    },
    readRunner: async (_, name) => {
      this.#askable()
      this.note(`${name} was asked about`)
      this.asked.set(name, [...(this.asked.get(name) ?? []), this.#called()])
      const found = this.atForge.get(name)
      const runner = found && {
        id: found.id,
        name,
        isOnline: found.isOnline,
        isBusy: found.busySince !== null,
      }
      return { at: this.now, runner: runner ?? null }
    },
  }

  readonly cluster: RemedyCluster = {
    listSets: async () => [place],
    readSet: async () => {
      this.#readable()
      this.note('the set was read')
      return {
        at: this.now,
        place,
        set: { ...this.set, ...this.#capsOf(this.caps.current) },
        generations: [...this.generations],
        runners: [...this.runners.values()],
        ...this.#listener(),
      }
    },
    readPod: async ({ name }) => {
      this.#readable()
      this.note(`the pod of ${name} was read`)
      const pod = this.pods.get(name)
      if (pod !== undefined) return pod
      return this.runners.has(name) ? podFact(name) : null
    },
    removeRunner: async (target) => {
      const sentAt = this.now
      this.#step()
      const lost = this.loseNextAnswer
      this.loseNextAnswer = null
      if (lost === 'before') return 'unknown'
      const removal = this.#remove(target, sentAt)
      return lost === 'after' ? 'unknown' : removal
    },
    readCaps: async () => {
      this.#readable()
      return this.caps.read()
    },
    patchCaps: async ({ uid, resourceVersion }, next) => {
      this.#step()
      const lost = this.loseNextAnswer
      this.loseNextAnswer = null
      const patch = { uid, resourceVersion, next }
      this.caps.sentTicks.push(this.tick)
      if (lost === 'late') this.caps.patchLate(patch, this.tick + latePatchCalls)
      if (lost === 'before' || lost === 'late') return 'unknown'
      const answer = this.caps.patch(patch, this.tick)
      return lost === 'after' ? 'unknown' : answer
    },
  }

  /** A call of a port outside of this file. */
  touch(): void {
    this.#step()
  }

  /** A job ends, and its runner with it. */
  finishJob(name: string): void {
    this.endJob(name)
    this.#end(name)
  }

  #remove({ name, uid, resourceVersion }: Exactly, sentAt: number): Removal {
    const runner = this.runners.get(name)
    if (runner === undefined) return 'gone'
    if (runner.uid !== uid || runner.resourceVersion !== resourceVersion) return 'conflict'
    const { busySince = null } = this.atForge.get(name) ?? {}
    if (runner.deletedAt === null) {
      const { isListenerUp } = this
      const busy = new Map(
        [...this.atForge].flatMap(([each, { busySince: since }]) => (since === null ? [] : [[each, since]])),
      )
      const found = { busySince, runner, isListenerUp, busy }
      this.acts.push({ name, uid, resourceVersion, at: sentAt, ...this.#called(), ...found })
    }
    this.requestDeletion(name)
    return 'removed'
  }

  #end(name: string): void {
    if (this.#isBusy(name)) {
      this.lostJobs.push(name)
      this.lostUids.add(this.runners.get(name)?.uid ?? name)
    }
    this.runners.delete(name)
    this.atForge.delete(name)
    this.pods.delete(name)
  }

  #isBusy(name: string): boolean {
    return (this.atForge.get(name)?.busySince ?? null) !== null
  }

  #listener(): { readonly listeners: readonly ListenerFact[]; readonly listenerPods: readonly PodFact[] } {
    if (!this.isListenerUp) return { listeners: [], listenerPods: [] }
    const statuses = [
      { name: 'listener', isReady: true, restarts: 0, imageId: null, state: runningState, lastState: null },
    ]
    return {
      listeners: [listenerFact('linux', this.#capsOf(this.caps.listener))],
      listenerPods: [podFact('linux-listener', { namespace: 'arc-systems', statuses })],
    }
  }

  #capsOf({ minRunners, maxRunners }: Caps): Pick<ScaleSetFact, 'minRunners' | 'maxRunners'> {
    return { minRunners: minRunners ?? 0, maxRunners }
  }

  #askable(): void {
    this.#step()
    if (this.forgeFailures === 0) return
    this.forgeFailures -= 1
    throw new Error('the forge does not answer')
  }

  #readable(): void {
    this.#step()
    if (this.clusterFailures === 0) return
    this.clusterFailures -= 1
    throw new Error('the API server does not answer')
  }

  #step(): void {
    this.tick += 1
    this.caps.landDue(this.tick)
    this.disturb()
  }

  #called(): Called {
    return { tick: this.tick, operator: this.operator }
  }

  #nextVersion(): string {
    this.#versions += 1
    return String(this.#versions)
  }
}

/** For tests: a set that wants one runner and has as many idle ones, all older than an hour. */
export function leakingWorld(count = 3): RemedyWorld {
  const world = new RemedyWorld()
  for (let index = 1; index <= count; index++)
    world.addRunner(`r${index}`, { createdAt: readAt - (240 - index) * minuteMs })
  return world
}

/** For tests: a set whose slots are held by runners that failed. */
export function failedWorld(count = 3): RemedyWorld {
  const world = new RemedyWorld()
  for (let index = 1; index <= count; index++)
    world.addFailed(`r${index}`, { createdAt: readAt - (240 - index) * minuteMs })
  return world
}

/** For tests: a lane with one slot, whose runner keeps it for a job that is over while the next job waits. */
export function handoffWorld(): RemedyWorld {
  const world = new RemedyWorld()
  world.caps.write({ maxRunners: 1 })
  world.addRunner('r1', { job: someJob, createdAt: readAt - 120 * minuteMs })
  const waiting = { repository: 'acme/web', status: 'queued', labels: world.set.runnerLabels }
  world.jobs.set(42, forgeJobFact(42, { ...waiting, runnerName: null, queuedAt: readAt - 30 * minuteMs }))
  return world
}

/** For tests: a set without a listener, whose idle runners ARC waits for. */
export function blockedWorld(count = 2): RemedyWorld {
  const world = leakingWorld(count)
  world.isListenerUp = false
  world.isBlocked = true
  return world
}
