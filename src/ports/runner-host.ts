import type { Ending } from '../domain/death/index.ts'
import type { StartProblem } from '../domain/pool/index.ts'
import type { Instant } from '../domain/time.ts'

export interface RunnerStart {
  /** Name of the runner and of its process and folder, or of its pod. */
  readonly name: string
  readonly pool: string
  /** By which the runner proves who it is; reaches the runner's program only. Pods prove it by their own token. */
  readonly secret: string
  /** Nodes that it must not be placed on. */
  readonly avoidNodes: readonly string[]
  /** Nodes that it is placed on only where no other one takes it; nothing is lost where they are well again by then. */
  readonly unwantedNodes?: readonly string[]
}

/** Which job a runner has, in the forge's words. */
export interface JobMarks {
  readonly repository: string
  readonly name: string
  /** Absent where the forge did not say. */
  readonly workflow?: string
  readonly runId: number
  readonly runAttempt: number
  readonly forgeJobId: number
}

export type StartOutcome =
  | { readonly kind: 'started' }
  /** Nothing of it exists, and asking again soon gives the same answer. */
  | { readonly kind: 'refused'; readonly problem: StartProblem }

export interface HostedRunner {
  readonly name: string
  readonly pool: string
  readonly state: 'running' | 'exited'
  readonly startedAt: Instant | null
  /**
   * Whether the program that runs the job has started. `waiting` proves that no job has run here; `unknown` where
   * asking for a job and running it is one program.
   */
  readonly program: 'waiting' | 'started' | 'unknown'
  /** A hash of its template (`RunnerHost.template`); null where that never changes. */
  readonly template: string | null
  /** Where it was placed; null where it was not yet, or where there is only one place. */
  readonly node: string | null
  /** Why it does not get going. */
  readonly problem: StartProblem | null
  /** Since when somebody, perhaps not us, wants it to go. */
  readonly leavingSince: Instant | null
  /** Since when its node or machine is silent: whether the runner lives cannot be known. */
  readonly silentSince: Instant | null
  /** Whether it is marked so that autoscalers and drains leave it alone. */
  readonly isProtected: boolean
  /** Since when it is over, by the host's own facts; null while it runs, and where they do not say. */
  readonly exitedAt: Instant | null
}

/** Where runners can be placed. */
export interface HostNode {
  readonly name: string
  readonly isReady: boolean
  /** Nothing new may be placed on it: somebody is about to take it away. */
  readonly isCordoned: boolean
  /** The resources that it lacks, in the host's own words, such as `DiskPressure`. */
  readonly pressures: readonly string[]
}

/** How many more runners of a pool the host can hold now. */
export interface Headroom {
  /** Null: the host knows no bound. */
  readonly more: number | null
  /** Why not even one more runner fits; null where one does. */
  readonly problem: StartProblem | null
}

export interface StopOrder {
  readonly reason: string
  /** Between asking it to stop and ending it; a pod whose program may have started gets its own, the pool's. */
  readonly graceMs: number
  /**
   * Whether it may be stopped although its program has started (I4): only where it is proven that no job of it is
   * under way, or where an operator says so.
   */
  readonly evenIfStarted: boolean
  /**
   * It had no job and is not needed any more: nobody will ask what it wrote, and a host may leave that out of its
   * ending where it would have to fetch it.
   */
  readonly isUnneeded?: boolean
  /** Only where the host itself proves that no job has run: where it does not know (`unknown`), it refuses as well. */
  readonly onlyIfWaiting?: boolean
}

/** `refused`: its program has started (or may have, see `onlyIfWaiting`), and the order does not cover that. */
export type Stopped = 'asked' | 'refused'

/**
 * What runs runners: processes on this machine, or pods in a cluster. A runner that ended stays listed until it is
 * released, so that its end can be read and sealed first (I5), also after a restart of Holdfast, and also where
 * somebody else removed it while we watched.
 */
export interface RunnerHost {
  /** Identifies this host among all that share the ledger; the same after a restart. */
  readonly id: string
  /**
   * Starts a runner; a second start under a name that is already there changes nothing. Throws a retryable error
   * where nobody knows whether it was started: the runner's boot deadline resolves that.
   */
  start(runner: RunnerStart, signal: AbortSignal): Promise<StartOutcome>
  /**
   * Everything on the host that is ours, from memory where the host is watched: as old as the watch. What was just
   * started is in it. Throws where it is not fresh: never an empty list for a failed read.
   */
  list(): Promise<readonly HostedRunner[]>
  /**
   * One of them; null only where the host itself says now that there is none. `uid`: by which the ledger knows it
   * (`uidOf`), where it does: it is found by that, whatever people have written on it, and nothing else is taken for it.
   */
  find(name: string, signal: AbortSignal, uid?: string | null): Promise<HostedRunner | null>
  /** The uid that separates it from others of its name, also shortly after it went; undefined where there is none. */
  uidOf(name: string): string | undefined
  /**
   * How it ended; null while it runs or where it is unknown. What cannot be read is named in it (`missing`); throws
   * only where nothing can be said at all.
   */
  ending(name: string): Promise<Ending | null>
  /** So long after its end the record of a runner of this pool may wait for what cannot be read yet. */
  evidenceDeadlineMs(pool: string): number
  /** Asks it to stop, then ends it and all that it started. The reason becomes part of its ending. */
  stop(name: string, order: StopOrder): Promise<Stopped>
  /** Removes what is left of a runner that ended. Repeating it is harmless. */
  release(name: string): Promise<void>
  /**
   * Removes a runner that cannot be observed any more, and whose record is sealed as far as it goes: its place
   * is gone or silent. What still runs there is ended when its place comes back.
   */
  abandon(name: string): Promise<void>
  /**
   * Marks it so that autoscalers and drains leave it alone, and labels it with its job, where that is known; repeating
   * it is harmless.
   */
  protect(name: string, job?: JobMarks | null): Promise<void>
  /** A hash of the template of this pool's runners now; null where that never changes. */
  template(pool: string): string | null
  headroom(pool: string): Promise<Headroom>
  /** Empty where there is only one place. Throws where it is not fresh. */
  nodes(): Promise<readonly HostNode[]>
  /** Calls back when something about a runner changed; may be late or missed, so that callers list as well. */
  onChange(callback: (name: string) => void): () => void
}
