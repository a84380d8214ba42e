import type { Ending } from '../../../../domain/death/index.ts'
import type { StartProblem } from '../../../../domain/pool/index.ts'
import type { Instant } from '../../../../ports/clock.ts'
import type { HostedRunner } from '../../../../ports/runner-host.ts'
import type { RunnerPod, Terminated } from '../objects/objects.ts'

/** A pod that we asked for and that no watch has shown yet. */
export interface PendingCreate {
  readonly pool: string
  readonly askedAt: Instant
  /** Null while nobody knows whether it was made. */
  readonly pod: RunnerPod | null
}

/** A pod that went from the view without us. */
export interface LostPod {
  /** As it was last seen. */
  readonly pod: RunnerPod
  readonly goneAt: Instant
  /** Whether the cluster itself says that it is gone. A pod whose label somebody took off leaves the view as well. */
  readonly isProven: boolean
}

/** The runner that one state of a pod shows, before time and its node add to it. */
export interface RunnerReading {
  readonly runner: HostedRunner
  /** Its node has not begun with it: then time and warnings say more. */
  readonly isUntouched: boolean
}

/** Facts about one pod that the cluster does not show. */
interface PodNote {
  /** Why we asked it to stop. */
  stop?: string
  /** And nobody will ask what it wrote. */
  isUnneeded?: boolean
  /** The last start problem: its pod does not show it any more once it has ended. */
  startProblem?: StartProblem
  /** How containers ended that were begun again: their pod does not say so any more once it has ended. */
  earlierEnds?: ReadonlyMap<string, Terminated>
  /** Its labels of ours as it was first seen with all of its marks. */
  labels?: Readonly<Record<string, string>>
  /** Its marks are being put back. */
  isRestoring?: boolean
  /** How often marks of ours were put back on it. */
  restores?: number
  /** It was marked as busy. */
  isBusy?: boolean
  /** The version of the pod in which we marked it as busy. */
  protectedIn?: string
  /** Its removal was asked for: that it goes is no surprise. */
  isReleasing?: boolean
  /** It was removed, whatever a watch that lags still shows. */
  isReleased?: boolean
  ending?: Ending
}

/** Endings hold a log tail each; they are kept so that nobody reads a log twice, not for long. */
const endingsMax = 200
/** As many pods as are ever watched: somebody who deletes them all by hand leaves so many. */
const lostMax = 20_000

/** Facts that the host knows and no view shows. All of them are lost in a restart, and none is needed for correctness. */
export class HostState {
  /** By a runner's name the UID of its pod, from the moment when it is known until it is released. */
  readonly uids = new Map<string, string>()
  readonly pendingCreates = new Map<string, PendingCreate>()
  readonly lost = new Map<string, LostPod>()
  readonly readings = new WeakMap<RunnerPod, RunnerReading>()
  readonly #notes = new Map<string, PodNote>()
  readonly #endings = new Set<string>()
  readonly #absentNodes = new Map<string, Instant>()

  noteOf(uid: string): Readonly<PodNote> {
    return this.#notes.get(uid) ?? {}
  }

  note(uid: string, more: Partial<PodNote>): void {
    this.#notes.set(uid, { ...this.#notes.get(uid), ...more })
  }

  forgetStop(uid: string): void {
    const { stop: _, isUnneeded: __, ...rest } = this.noteOf(uid)
    this.#notes.set(uid, rest)
  }

  keepEnding(uid: string, ending: Ending): void {
    this.note(uid, { ending })
    this.#endings.add(uid)
    const [oldest] = this.#endings
    if (this.#endings.size <= endingsMax || oldest === undefined) return
    this.#endings.delete(oldest)
    const { ending: _, ...rest } = this.noteOf(oldest)
    this.#notes.set(oldest, rest)
  }

  /** A pod went from the view without us. */
  addLost(name: string, lost: LostPod): void {
    this.lost.delete(name)
    this.lost.set(name, lost)
    const [oldest] = this.lost.keys()
    if (this.lost.size > lostMax && oldest !== undefined) this.lost.delete(oldest)
  }

  forget(uid: string): void {
    this.#notes.delete(uid)
    this.#endings.delete(uid)
  }

  /** Since when a node has been absent as far as we know. */
  absentSince(node: string, now: Instant): Instant {
    const since = this.#absentNodes.get(node) ?? now
    this.#absentNodes.set(node, since)
    return since
  }

  nodeIsBack(node: string): void {
    this.#absentNodes.delete(node)
  }
}
