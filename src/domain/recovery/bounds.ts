import { isLive } from '../runner/index.ts'
import type { Action } from './action.ts'
import type { View } from './view.ts'

/** How many runners recovery may do something to that cannot be taken back (I10). */
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

export const boundedKinds = ['stop-started', 'give-up', 'disown', 'fence'] as const
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
      why: 'The end of a runner is put on record that nobody saw, and its pod is let go: a whole node may be lost, or in two windows a whole cluster.',
    },
    disown: {
      atLeast: 30,
      share: 0.5,
      perNode: 60,
      why: 'The attempt of a live runner ends because the forge has its job queued or forgot it: a wrong answer would run jobs twice.',
    },
    fence: {
      atLeast: oneNode,
      share: 0.5,
      perNode: oneNode,
      why: 'An idle runner gets no more work because it does not ask: all the idle ones of a node may be lost with it, but where nobody asks we are the ones who cannot be reached.',
    },
  },
}

/** The same bounds, wider or narrower; by 0 nothing of the kind is done. */
export function scaledBounds(factor: number, bounds = recoveryBounds): RecoveryBounds {
  const scaled = (kind: BoundedKind): Bound => {
    const { atLeast, share, perNode, why } = bounds.of[kind]
    return { atLeast: atLeast * factor, share: share * factor, perNode: perNode * factor, why }
  }
  return {
    ...bounds,
    of: {
      'stop-started': scaled('stop-started'),
      'give-up': scaled('give-up'),
      disown: scaled('disown'),
      fence: scaled('fence'),
    },
  }
}

/** An act that is counted, the runner that it is done to, and where that is, as far as it is known. */
export interface BoundedAct {
  readonly kind: BoundedKind
  readonly runnerId: number
  readonly node: string | null
}

/** How much of a kind was done to other runners within the window. */
export interface Tally {
  /** Runners that live, and those that it was done to and that are gone since. */
  readonly fleet: number
  readonly done: number
  readonly doneOnNode: number
}

/** A bound that an act would pass. */
export interface BoundReached {
  readonly kind: BoundedKind
  readonly scope: 'fleet' | 'node'
  readonly node: string | null
  readonly done: number
  readonly allowed: number
  readonly windowMs: number
}

/** What of a decision is counted: the gravest of its actions; null where none of them has a bound. */
export function boundedActOf(view: View, actions: readonly Action[]): BoundedAct | null {
  const { subject, facts } = view
  if (subject.kind === 'job') return null
  const kinds = actions.map((action) => kindOf[action.kind](action as never, view))
  const kind = boundedKinds.find((each) => kinds.includes(each))
  if (kind === undefined) return null
  const { runner } = subject
  const hosted = facts.hosted.known ? facts.hosted.value : null
  // A machine is a node by itself; of a host that is lost nobody can say where on it a runner was.
  const node = hosted?.kind === 'running' ? (hosted.node ?? runner.host) : null
  return { kind, runnerId: runner.id, node }
}

/** The bound that one more would pass; null: it may be done. */
export function boundReached(
  { kind, node }: BoundedAct,
  { windowMs, of }: RecoveryBounds,
  { fleet, done, doneOnNode }: Tally,
): BoundReached | null {
  const { atLeast, share, perNode } = of[kind]
  const allowed = Math.floor(Math.max(atLeast, share * fleet))
  if (done >= allowed) return { kind, scope: 'fleet', node: null, done, allowed, windowMs }
  const allowedOnNode = Math.floor(perNode)
  if (node === null || doneOnNode < allowedOnNode) return null
  return { kind, scope: 'node', node, done: doneOnNode, allowed: allowedOnNode, windowMs }
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
  'end-attempt': (_, { subject }) =>
    subject.kind === 'attempt' && subject.attempt.state === 'running' && isLive(subject.runner)
      ? 'disown'
      : null,
  // The host itself said that nothing of that name is there.
  'seal-vanished': unbounded,
  // The forge's own words about a job; and a registration goes only where the forge says that it is not busy.
  hear: unbounded,
  'close-job': unbounded,
  'requeue-job': unbounded,
  'remove-registration': unbounded,
  'mark-registered': unbounded,
  'look-again': unbounded,
}
