import { HoldfastError } from '../../../domain/errors/index.ts'
import {
  capsText,
  commandEndText,
  endedWell,
  owedSets,
  restoredCaps,
  type ScopedSet,
  sameCaps,
} from '../../../domain/remedy/managed-apply/index.ts'
import { keyOf } from '../../../domain/snapshot/index.ts'
import type { CapsReading } from '../../../ports/remedy.ts'
import { attempted } from '../../attempted.ts'
import { applyBounds } from '../bounds.ts'
import type { Step, Stepping } from '../step.ts'
import { subjectOf } from './freeze.ts'

/** Owed caps are given back also where the user has interrupted. */
const never = new AbortController().signal

/** CAP_RESTORE, and what is owed on an abort. A failed command ends the apply once the caps are back. */
export const restoreCaps: Step = async (stepping) => {
  const { run } = stepping
  const owed = owedSets(run.record)
  for (const set of owed) await restoreSet(set, stepping)
  const given = owed.length === 0 ? 'no caps were owed' : `the caps of ${owed.map(keyOf).join(', ')} are back`
  const { state, command } = run.record
  if (state === 'roll-back') return { event: 'pass', outcome: given }
  return endedWell(command.end)
    ? { event: 'pass', outcome: given }
    : {
        event: 'fail',
        outcome: `the command ${command.end === null ? 'has no known end' : commandEndText(command.end)}; ${given}`,
      }
}

/** Tries until it stands, within the bound. */
async function restoreSet(set: ScopedSet, stepping: Stepping): Promise<void> {
  const { clock } = stepping.deps
  const until = clock.now() + applyBounds.restoreMaxMs
  for (;;) {
    const tried = await attempted(() => tryRestore(set, stepping))
    if ('value' in tried && tried.value) return
    if (clock.now() >= until)
      throw new HoldfastError('E_APPLY_FROZEN', {
        id: stepping.run.record.id,
        sets: keyOf(set),
        reason: 'failure' in tried ? tried.failure : 'another writer changes it again and again',
      })
    await clock.sleep(applyBounds.lookEveryMs, never)
  }
}

/** Whether it is done; false: read again. */
async function tryRestore(set: ScopedSet, { run, deps }: Stepping): Promise<boolean> {
  const { id, isZeroWanted, command } = run.record
  const caps = await deps.cluster.readCaps(set, never)
  if (caps === null || caps.uid !== set.uid) {
    // Deleted, or made again from its source: nothing of ours is left on it.
    await run.keepSet(set, { restored: capsOf(caps) ?? set.recorded })
    return true
  }
  const wanted = restoredCaps(set.recorded, capsOf(caps), isZeroWanted && endedWell(command.end))
  const isAsWanted = caps.mark !== id && sameCaps(caps, wanted)
  if (isAsWanted && set.freeze === 'frozen') {
    await run.keepSet(set, { restored: wanted })
    return true
  }
  // A freeze whose answer was lost may still arrive: a write of ours first makes its resourceVersion an old one.
  const next = isAsWanted ? { ...capsOf(caps), mark: id } : { ...wanted, mark: null }
  await run.note({
    subject: subjectOf(set),
    outcome: isAsWanted
      ? 'to be marked now, so that a freeze without an answer cannot arrive any more'
      : `to be given back now: ${capsText(wanted)}; found ${capsText(caps)}; by uid ${caps.uid} and resourceVersion ${caps.resourceVersion}`,
  })
  const { namespace, name } = set
  const { uid, resourceVersion } = caps
  const answer = await deps.cluster.patchCaps({ namespace, name, uid, resourceVersion }, next, never)
  if (answer !== 'patched' || isAsWanted) return false
  await run.keepSet(set, { restored: wanted })
  return true
}

function capsOf(caps: CapsReading): { minRunners: number | null; maxRunners: number | null }
function capsOf(caps: CapsReading | null): { minRunners: number | null; maxRunners: number | null } | null
function capsOf(caps: CapsReading | null) {
  return caps === null ? null : { minRunners: caps.minRunners, maxRunners: caps.maxRunners }
}
