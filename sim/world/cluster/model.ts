import type { PodShape, StartProblem } from '../../../src/domain/pool/index.ts'
import type { Instant } from '../../../src/domain/time.ts'

/** The template of a pool's pods, and its flaw. */
export interface Template {
  readonly hash: string
  readonly shape: PodShape
  readonly flaw: 'none' | 'no-poller-image' | 'no-runner-image' | 'bad-config' | 'refused'
}

export interface Container {
  readonly state: 'waiting' | 'running' | 'terminated'
  readonly reason: string | null
  readonly exitCode: number | null
  readonly signal: string | null
  readonly startedAt: Instant | null
  readonly finishedAt: Instant | null
}

/** A pod's containers, on its node or as the kubelet last reported them. */
export interface PodStatus {
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed'
  readonly reason: string | null
  readonly startProblem: StartProblem | null
  readonly poller: Container
  readonly runner: Container
}

/** A pod as the API server holds it; immutable: a change makes a new one, and readers keep the old one. */
export interface Pod {
  readonly name: string
  readonly pool: string
  readonly uid: string
  readonly template: Template
  readonly avoidNodes: readonly string[]
  readonly unwantedNodes: readonly string[]
  readonly createdAt: Instant
  readonly node: string | null
  readonly placedAt: Instant | null
  readonly status: PodStatus
  /** Whose it is by its labels and annotations: `none` takes it out of sight of a watch that selects by them. */
  readonly marks: 'ours' | 'others' | 'none'
  /** Our finalizer is on it. */
  readonly isHeld: boolean
  readonly isProtected: boolean
  readonly stopReason: string | null
  readonly leavingSince: Instant | null
  /** The first actor that deleted it. */
  readonly leavingBy: 'holdfast' | 'other' | null
  /** Nobody waits for its kubelet. */
  readonly isForced: boolean
  readonly version: number
}

export type NodeMode =
  | 'ok'
  /** Ready by its own word, and does nothing about its pods. */
  | 'silent'
  /** Ready by its own word, but its runtime hangs: it starts nothing, ends nothing and sees no end; what runs goes on. */
  | 'hung'
  /** It cannot make a place for new pods. */
  | 'failing'
  /** Cut off: its programs go on, and nothing is received from them. */
  | 'cut'
  /** Its programs are gone, and nothing is received from it. */
  | 'dead'

export interface Node {
  readonly name: string
  mode: NodeMode
  isCordoned: boolean
  pressures: readonly string[]
  /** Since when its kubelet does not report. */
  silentSince: Instant | null
}

const waiting: Container = {
  state: 'waiting',
  reason: null,
  exitCode: null,
  signal: null,
  startedAt: null,
  finishedAt: null,
}

export const pending: PodStatus = {
  phase: 'Pending',
  reason: null,
  startProblem: null,
  poller: waiting,
  runner: waiting,
}

export function isOver({ phase }: PodStatus): boolean {
  return phase === 'Succeeded' || phase === 'Failed'
}
