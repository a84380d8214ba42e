import type { Ending } from '../../../domain/death/index.ts'
import type { Trouble } from '../../../domain/pool/index.ts'
import type { Instant } from '../../../ports/clock.ts'
import type { HostedRunner } from '../../../ports/runner-host.ts'
import type { RunnerPod, Terminated } from './objects.ts'

/** A pod that we asked for and that no watch has shown yet. */
export interface Reserved {
  readonly pool: string
  readonly askedAt: Instant
  /** Null while nobody knows whether it was made. */
  readonly pod: RunnerPod | null
}

/** A pod that went from the view without us. */
export interface Lost {
  /** As it was last seen. */
  readonly pod: RunnerPod
  readonly goneAt: Instant
  /** Whether the cluster itself says that it is gone. A pod whose label somebody took off leaves the view as well. */
  readonly isProven: boolean
}

/** What one state of a pod says, apart from what time and its node add to it. */
export interface Reading {
  readonly runner: HostedRunner
  /** Its node has not begun with it: then time and warnings say more. */
  readonly isUntouched: boolean
}

/** What of each pod is remembered beside what the cluster says of it. */
interface Note {
  /** Why we asked it to stop. */
  stop?: string
  /** And nobody will ask what it wrote. */
  isUnneeded?: boolean
  /** What last kept it from getting going: it is not in its pod any more once that has ended. */
  trouble?: Trouble
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
const ENDINGS_MAX = 200
/** As many pods as are ever watched: somebody who deletes them all by hand leaves so many. */
const LOST_MAX = 20_000

/** What the host knows that no view shows. All of it is lost in a restart, and none of it is needed to be right. */
export class Memory {
  /** By a runner's name the UID of its pod, from the moment when it is known until it is released. */
  readonly uids = new Map<string, string>()
  readonly reserved = new Map<string, Reserved>()
  readonly lost = new Map<string, Lost>()
  readonly readings = new WeakMap<RunnerPod, Reading>()
  readonly #notes = new Map<string, Note>()
  readonly #endings = new Set<string>()
  readonly #absentNodes = new Map<string, Instant>()

  noteOf(uid: string): Readonly<Note> {
    return this.#notes.get(uid) ?? {}
  }

  note(uid: string, more: Partial<Note>): void {
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
    if (this.#endings.size <= ENDINGS_MAX || oldest === undefined) return
    this.#endings.delete(oldest)
    const { ending: _, ...rest } = this.noteOf(oldest)
    this.#notes.set(oldest, rest)
  }

  /** A pod went from the view without us. */
  lose(name: string, lost: Lost): void {
    this.lost.delete(name)
    this.lost.set(name, lost)
    const [oldest] = this.lost.keys()
    if (this.lost.size > LOST_MAX && oldest !== undefined) this.lost.delete(oldest)
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

  isBack(node: string): void {
    this.#absentNodes.delete(node)
  }
}
