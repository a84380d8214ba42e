import { HoldfastError } from '../../domain/errors/index.ts'
import {
  type ApplyLimits,
  type ApplyRecord,
  applyRecordVersion,
  commandSummary,
  isUnfinished,
} from '../../domain/remedy/managed-apply/index.ts'
import { keyOf, type ObjectRef } from '../../domain/snapshot/index.ts'
import { type ApplyReport, advance } from './advance.ts'
import type { ApplyDeps } from './deps.ts'
import { createApplyRun } from './run.ts'
import { canaryText, judgeCanary } from './steps/canary.ts'

/** The user's command, and the sets that it may change. */
export interface ApplyOrder {
  readonly sets: readonly ObjectRef[]
  readonly argv: readonly string[]
  readonly limits: ApplyLimits
  readonly isZeroWanted: boolean
}

/** Runs the user's command around a fleet at rest. Throws E_APPLY_UNFINISHED where one of the sets is in another apply. */
export async function beginApply(
  { sets, argv, limits, isZeroWanted }: ApplyOrder,
  deps: ApplyDeps,
  signal: AbortSignal,
): Promise<ApplyReport> {
  await refuseOverlap(sets, deps)
  const now = deps.clock.now()
  const record: ApplyRecord = {
    version: applyRecordVersion,
    id: deps.newId(),
    site: deps.site,
    program: deps.program,
    beganAt: now,
    changedAt: now,
    state: 'canary',
    outcome: '',
    limits,
    isZeroWanted,
    command: { summary: commandSummary(argv), process: null, end: null },
    sets: [],
  }
  const canary = await judgeCanary(sets, deps, signal)
  const { gates } = canary
  const scoped = canary.sets.map((set) => ({
    ...set,
    freeze: 'none' as const,
    restored: null,
    busy: [],
  }))
  const run = createApplyRun({ ...record, sets: scoped }, deps)
  await run.note({ outcome: `for ${record.command.summary}: ${sets.map(keyOf).join(', ')}` })
  if (canary.failed.length > 0) await run.move('stop', { gates, outcome: canaryText(canary) })
  else await run.move('pass', { gates, outcome: 'each has one generation and a running listener' })
  return advance({ run, deps, argv, signal })
}

async function refuseOverlap(sets: readonly ObjectRef[], { records, site }: ApplyDeps): Promise<void> {
  const asked = new Set(sets.map(keyOf))
  for (const record of await records.list()) {
    const shared = record.sets.filter((set) => asked.has(keyOf(set)))
    if (!isUnfinished(record) || record.site !== site || shared.length === 0) continue
    const { id, state } = record
    throw new HoldfastError('E_APPLY_UNFINISHED', { id, state, sets: shared.map(keyOf).join(', ') })
  }
}
