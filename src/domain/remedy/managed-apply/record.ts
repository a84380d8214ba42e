import type { ObjectRef } from '../../snapshot/index.ts'
import type { Instant } from '../../time.ts'
import type { Caps } from './caps.ts'
import { type ApplyState, isApplyEnded } from './machine.ts'

/** Of the record's form; a record of another form is refused. */
export const applyRecordVersion = 1

/** How the user's command ended. `reported`: by the word of the operator, who looked. */
export type CommandEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'timed-out'; readonly afterMs: number }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'not-started'; readonly reason: string }
  | { readonly kind: 'reported' }

/** A process, which a later one under the same number does not share. */
export interface ProcessMark {
  readonly pid: number
  readonly startedAt: string
  readonly bootId: string
}

/** One set of a managed apply, with what it is owed. */
export interface ScopedSet extends ObjectRef {
  readonly uid: string
  /** The organisation or repository whose list of runners has its runners. */
  readonly forgeScope: string
  /** Before anything was changed. */
  readonly recorded: Caps
  /** `begun`: the freeze was sent, and its answer is not known. */
  readonly freeze: 'none' | 'begun' | 'frozen'
  /** The caps that stand after they were given back; null: they are owed, if it was frozen. */
  readonly restored: Caps | null
  /** Runners that had a job when the caps were frozen. */
  readonly busy: readonly string[]
}

/** Everything that a managed apply needs to be resumed or rolled back, and no secret. */
export interface ApplyRecord {
  readonly version: typeof applyRecordVersion
  readonly id: string
  readonly site: string
  readonly program: string
  readonly beganAt: Instant
  readonly changedAt: Instant
  readonly state: ApplyState
  /** The outcome of the last move. */
  readonly outcome: string
  readonly limits: ApplyLimits
  /** A cap that is zero after the command is the new source's. */
  readonly isZeroWanted: boolean
  readonly command: {
    /** Its program and how many arguments; arguments may be secrets. */
    readonly summary: string
    readonly process: ProcessMark | null
    readonly end: CommandEnd | null
  }
  readonly sets: readonly ScopedSet[]
}

export interface ApplyLimits {
  readonly commandMaxMs: number
  /** For busy runners of the old generation. */
  readonly settleMaxMs: number
  /** Younger runners are not reaped before the command. */
  readonly minAgeMs: number
}

/** Sets whose caps may be frozen and were not given back. */
export function owedSets({ sets }: ApplyRecord): readonly ScopedSet[] {
  return sets.filter(({ freeze, restored }) => freeze !== 'none' && restored === null)
}

export function isUnfinished({ state }: ApplyRecord): boolean {
  return !isApplyEnded(state)
}

export function endedWell(end: CommandEnd | null): boolean {
  return end?.kind === 'reported' || (end?.kind === 'exited' && end.code === 0)
}

/** A command for a record: its arguments may be secrets, and stay out. */
export function commandSummary([program = '', first = '', ...rest]: readonly string[]): string {
  const name = program.split('/').at(-1) ?? program
  const verb = /^[a-z][a-z-]{0,30}$/.test(first) ? ` ${first}` : ''
  const count = rest.length + (first === '' ? 0 : 1)
  return `${name}${verb} (${count} ${count === 1 ? 'argument' : 'arguments'})`
}

/** `exited with 3`. */
export function commandEndText(end: CommandEnd): string {
  if (end.kind === 'exited') return `exited with ${end.code}`
  if (end.kind === 'signalled') return `ended by ${end.signal}`
  if (end.kind === 'timed-out') return `ended by Holdfast after ${end.afterMs / 1_000} s`
  if (end.kind === 'interrupted') return 'ended by Holdfast, which was interrupted'
  if (end.kind === 'not-started') return `could not be started: ${end.reason}`
  return 'ended well, by the word of the operator'
}
