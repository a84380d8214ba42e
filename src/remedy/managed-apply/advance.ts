import { HoldfastError, isError } from '../../domain/errors/index.ts'
import { reasonOf } from '../../domain/reason.ts'
import type { GateResult } from '../../domain/remedy/index.ts'
import {
  type ApplyRecord,
  type ApplyState,
  capsText,
  owedSets,
} from '../../domain/remedy/managed-apply/index.ts'
import { keyOf } from '../../domain/snapshot/index.ts'
import type { Step, StepEnd, Stepping } from './step.ts'
import { runCommand } from './steps/command.ts'
import { freezeCaps } from './steps/freeze.ts'
import { prove } from './steps/prove.ts'
import { reapIdle } from './steps/reap-idle.ts'
import { restoreCaps } from './steps/restore.ts'
import { settle } from './steps/settle.ts'

/** How a managed apply ended, or where it stands. */
export interface ApplyReport {
  readonly record: ApplyRecord
  /** Of the last step. */
  readonly gates: readonly GateResult[]
}

const steps: Partial<Record<ApplyState, Step>> = {
  'quiesce-scope': async ({ run }) => ({ event: 'pass', outcome: `recorded: ${scopeText(run.record)}` }),
  'reap-idle': reapIdle,
  'cap-freeze': freezeCaps,
  apply: runCommand,
  'cap-restore': restoreCaps,
  'settle-reap-stale': settle,
  'prove-listener-cap': prove,
  'roll-back': restoreCaps,
}

/** From its state to its end, one step after the other. An interrupted wait at the end leaves it to be resumed. */
export async function advance(stepping: Stepping): Promise<ApplyReport> {
  const { run } = stepping
  while (!run.isEnded) {
    const end = await taken(stepping)
    if (end === null) break
    const { event, ...note } = end
    await run.move(event, note)
  }
  return { record: run.record, gates: run.gates }
}

/** Null: interrupted where nothing is owed. */
async function taken(stepping: Stepping): Promise<StepEnd | null> {
  const { run, signal } = stepping
  const { state } = run.record
  const step = steps[state]
  if (step === undefined) throw new HoldfastError('E_BUG', { what: `an apply has no step ${state}` })
  if (signal.aborted && isBefore(state)) return { event: 'stop', outcome: 'interrupted' }
  try {
    return await step(stepping)
  } catch (error) {
    // Where the trail or the record cannot be written, the move fails as well, and is reported.
    if (isBefore(state)) return { event: 'stop', outcome: `stopped: ${reasonOf(error)}` }
    if (signal.aborted && owedSets(run.record).length === 0) return null
    if (isError(error, 'E_APPLY_FROZEN') || owedSets(run.record).length === 0) throw error
    const sets = owedSets(run.record).map(keyOf).join(', ')
    throw new HoldfastError('E_APPLY_FROZEN', { id: run.record.id, sets, reason: reasonOf(error) }, error)
  }
}

/** Steps after which nothing is lost by going back. */
function isBefore(state: ApplyState): boolean {
  return state === 'quiesce-scope' || state === 'reap-idle' || state === 'cap-freeze'
}

function scopeText({ sets }: ApplyRecord): string {
  return sets.map((set) => `${keyOf(set)}: ${capsText(set.recorded)}`).join('; ')
}
