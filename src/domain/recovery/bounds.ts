import { isLive } from '../runner/index.ts'
import type { Action } from './action.ts'
import type { View } from './view.ts'

/** How many runners or jobs something may be done to that cannot be taken back (I10). */
export interface Bound {
  /** In a window so many at least, however small the fleet. */
  readonly atLeast: number
  /** In a window this part of the fleet, where that is more. */
  readonly share: number
  /** In a window on one node. */
  readonly perNode: number
  readonly why: string
}

/** The one table of bounds. */
export interface RecoveryBounds {
  readonly windowMs: number
  /** How soon a subject is looked at again whose act is over a bound. */
  readonly holdMs: number
  readonly of: Readonly<Record<BoundedKind, Bound>>
}

export const boundedKinds = [
  'stop-started',
  'give-up',
  'abandon-stray',
  'disown',
  'close-gone',
  'fence',
  'give-up-start',
] as const
export type BoundedKind = (typeof boundedKinds)[number]

/** Kubernetes' default of 110 pods on a node and some more: the loss of a whole node is never over a bound. */
const oneNode = 120

/**
 * What is really gone is given up within two windows, the whole fleet too; where an answer was wrong for everybody, half
 * of it or more is left when a person comes. Ends that the host itself proves are no acts of ours, and have no bound.
 */
export const recoveryBounds: RecoveryBounds = {
  windowMs: 60 * 60_000,
  holdMs: 5 * 60_000,
  of: {
    'stop-started': {
      atLeast: 30,
      share: 0.25,
      perNode: 60,
      why: 'A runner is ended whose program started: the forge alone says that it works on nothing, or its job is past the limit of its pool. A few hang after their job; many at once are a wrong answer or a wrong image.',
    },
    'give-up': {
      atLeast: oneNode,
      share: 0.5,
      perNode: oneNode,
      why: 'The end of a runner is recorded that nobody saw, and its pod is released: a whole node may be lost, or in two windows a whole cluster.',
    },
    'abandon-stray': {
      atLeast: oneNode,
      share: 0.5,
      perNode: oneNode,
      why: 'A pod without a runner in the ledger is released because its node is silent: a lost node may leave all of its pods so, but more are silent nodes that still run.',
    },
    disown: {
      atLeast: 30,
      share: 0.5,
      perNode: 60,
      why: 'The attempt of a live runner ends because the forge has its job queued or forgot it: a wrong answer would run jobs twice.',
    },
    'close-gone': {
      atLeast: 200,
      share: 0.5,
      perNode: 200,
      why: 'A job is closed because the forge says that it does not know it: workflow runs are deleted by hand and by schedule, but where most are unknown the forge or our right to ask is wrong.',
    },
    fence: {
      atLeast: oneNode,
      share: 0.5,
      perNode: oneNode,
      why: 'An idle runner gets no more work because it does not ask: all the idle ones of a node may be lost with it, but where nobody asks we are the ones who cannot be reached.',
    },
    'give-up-start': {
      atLeast: 2 * oneNode,
      share: 0.5,
      perNode: 2 * oneNode,
      why: 'A runner that did not get going by the deadlines of its pool is sent away: a wrong image does that to a whole pool again and again, and it never ran a job; where half of the fleet goes so in an hour, what the cluster says is not true.',
    },
  },
}

/** The same bounds, wider or narrower; by 0 nothing of the kind is done. */
export function scaledBounds(factor: number, bounds = recoveryBounds): RecoveryBounds {
  const scaled = (kind: BoundedKind): Bound => {
    const { atLeast, share, perNode, why } = bounds.of[kind]
    return { atLeast: atLeast * factor, share: share * factor, perNode: perNode * factor, why }
  }
  const of = Object.fromEntries(boundedKinds.map((kind) => [kind, scaled(kind)]))
  return { ...bounds, of: of as RecoveryBounds['of'] }
}

/** An act that is counted, whom it is done to, and where that is, as far as it is known. */
export interface BoundedAct {
  readonly kind: BoundedKind
  /** The runner; a job, or a runner that has no row, has a number below zero, which no runner has. */
  readonly runnerId: number
  readonly node: string | null
}

/** How much of a kind was done to other runners within the window. */
export interface Tally {
  /** Runners that live, and those that it was done to and that are gone since. */
  readonly fleet: number
  readonly done: number
  readonly doneOnNode: number
  /** How many of `done` and of `doneOnNode` are being done: they may be refused yet. */
  readonly underWay: number
  readonly underWayOnNode: number
}

/** An act that began longer ago and has no outcome counts as done: the process that did it may be gone. */
export const underWayMsMax = 60_000

/** A bound that an act would pass. */
export interface BoundReached {
  readonly kind: BoundedKind
  readonly scope: 'fleet' | 'node'
  readonly node: string | null
  readonly done: number
  readonly allowed: number
  readonly windowMs: number
  /** It is reached only with what is being done, which may be refused yet. */
  readonly isPassing: boolean
}

/** The act of a decision that is counted: the gravest of its actions; null where none has a bound. */
export function boundedActOf(view: View, actions: readonly Action[]): BoundedAct | null {
  const { subject, facts } = view
  const kinds = actions.map((action) => kindOf[action.kind](action as never, view))
  const kind = boundedKinds.find((each) => kinds.includes(each))
  if (kind === undefined) return null
  if (kind === 'close-gone') return { kind, runnerId: -jobIdOf(subject), node: null }
  if (subject.kind === 'job') return null
  const { runner } = subject
  const hosted = facts.hosted.known ? facts.hosted.value : null
  // A machine is a node by itself; of a host that is lost nobody can say where on it a runner was.
  const node = hosted?.kind === 'running' ? (hosted.node ?? runner.host) : null
  return { kind, runnerId: runner.id, node }
}

function jobIdOf(subject: View['subject']): number {
  return subject.kind === 'runner' ? (subject.last?.job.id ?? 0) : subject.job.id
}

/** The number by which a runner that has no row is counted; two that share one count once, which bounds no less. */
export function strangerId(name: string): number {
  let hash = 0x811c9dc5
  for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return -1 - (hash >>> 0)
}

/** The bound that one more would pass; null: it may be done. */
export function boundReached(
  { kind, node }: BoundedAct,
  { windowMs, of }: RecoveryBounds,
  { fleet, done, doneOnNode, underWay, underWayOnNode }: Tally,
): BoundReached | null {
  const { atLeast, share, perNode } = of[kind]
  const allowed = Math.floor(Math.max(atLeast, share * fleet))
  if (done >= allowed) {
    const isPassing = done - underWay < allowed
    return { kind, scope: 'fleet', node: null, done, allowed, windowMs, isPassing }
  }
  const allowedOnNode = Math.floor(perNode)
  if (node === null || doneOnNode < allowedOnNode) return null
  const isPassing = doneOnNode - underWayOnNode < allowedOnNode
  return { kind, scope: 'node', node, done: doneOnNode, allowed: allowedOnNode, windowMs, isPassing }
}

type KindOf = {
  readonly [Kind in Action['kind']]: (
    action: Extract<Action, { kind: Kind }>,
    view: View,
  ) => BoundedKind | null
}

const unbounded = () => null

/** Every action is judged here, so that a new one cannot be forgotten. */
const kindOf: KindOf = {
  'stop-runner': ({ evenIfStarted }) => (evenIfStarted ? 'stop-started' : null), // else the host refuses it
  // The job ends by it as by a stop; a limit that somebody set by mistake ends no more than that.
  'cancel-run': () => 'stop-started',
  'note-past-deadline': unbounded,
  abandon: () => 'give-up',
  'seal-lost': () => 'give-up',
  fence: () => 'fence',
  // A job is called lost only behind the death of its runner, which its host proved or which was a bounded giving up.
  'end-attempt': ({ fate }, { subject }) => {
    if (subject.kind === 'attempt' && subject.attempt.state === 'running' && isLive(subject.runner))
      return 'disown'
    return fate.kind === 'gone' ? 'close-gone' : null
  },
  // The host itself said that nothing of that name is there.
  'seal-vanished': unbounded,
  // The forge's own words about a job; and a registration goes only where the forge says that it is not busy.
  hear: unbounded,
  'close-job': () => 'close-gone',
  'requeue-job': unbounded,
  'remove-registration': unbounded,
  'mark-registered': unbounded,
  'look-again': unbounded,
}
