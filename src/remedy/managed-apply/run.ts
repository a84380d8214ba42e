import { HoldfastError } from '../../domain/errors/index.ts'
import { type GateResult, masked } from '../../domain/remedy/index.ts'
import {
  type ApplyEvent,
  type ApplyRecord,
  applyAfter,
  isApplyEnded,
  isApplyRefusal,
  type ScopedSet,
} from '../../domain/remedy/managed-apply/index.ts'
import { keyOf } from '../../domain/snapshot/index.ts'
import type { ApplyDeps } from './deps.ts'

interface Note {
  readonly subject?: string
  readonly gates?: readonly GateResult[]
  readonly outcome: string
}

/** One way through the state machine. The outcome of a step is a row of the trail, then the record has the next step, then it begins. */
export interface ApplyRun {
  readonly record: ApplyRecord
  /** The gates of the last row. */
  readonly gates: readonly GateResult[]
  readonly isEnded: boolean
  move(event: ApplyEvent, note: Note): Promise<void>
  /** A row within a step, before an act. */
  note(note: Note): Promise<void>
  /** Writes a change of the record. */
  keep(change: Partial<ApplyRecord>): Promise<void>
  keepSet(set: ScopedSet, change: Partial<ScopedSet>): Promise<void>
}

export function createApplyRun(
  begun: ApplyRecord,
  { trail, records, clock, actor, onProgress }: ApplyDeps,
): ApplyRun {
  let record = begun
  let gates: readonly GateResult[] = []
  const append = async (step: ApplyRecord['state'], note: Note) => {
    const at = clock.now()
    const outcome = masked(note.outcome)
    gates = note.gates ?? []
    await trail.append({
      at,
      actor,
      remedy: 'apply',
      plan: begun.id,
      step,
      subject: note.subject ?? null,
      gates,
      outcome,
    })
    onProgress(`${step}: ${note.subject === undefined ? '' : `${note.subject}: `}${outcome}`)
    return outcome
  }
  const keep = async (change: Partial<ApplyRecord>) => {
    record = { ...record, ...change, changedAt: clock.now() }
    await records.write(record)
  }
  return {
    get record() {
      return record
    },
    get gates() {
      return gates
    },
    get isEnded() {
      return isApplyEnded(record.state)
    },
    async move(event, note) {
      const state = applyAfter(record.state, event)
      if (isApplyRefusal(state))
        throw new HoldfastError('E_BUG', { what: `${event} is no move of an apply in ${record.state}` })
      const outcome = await append(record.state, note)
      // The end is noted before the record closes: an end without its row would never get it.
      if (isApplyEnded(state)) await append(state, note)
      await keep({ state, outcome })
    },
    async note(note) {
      await append(record.state, note)
    },
    keep,
    async keepSet(set, change) {
      const key = keyOf(set)
      await keep({ sets: record.sets.map((each) => (keyOf(each) === key ? { ...each, ...change } : each)) })
    },
  }
}
