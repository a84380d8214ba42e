import { counted } from '../../../domain/format.ts'
import { reasonOf } from '../../../domain/reason.ts'
import {
  capsText,
  frozenCaps,
  type Quiet,
  quietOf,
  type ScopedSet,
  sameCaps,
} from '../../../domain/remedy/managed-apply/index.ts'
import { keyOf } from '../../../domain/snapshot/index.ts'
import { attempted } from '../../attempted.ts'
import { applyBounds } from '../bounds.ts'
import type { Step, StepEnd, Stepping } from '../step.ts'

/** CAP_FREEZE: no set starts a runner from here on, and ARC has taken its idle ones down. */
export const freezeCaps: Step = async (stepping) => {
  for (const set of stepping.run.record.sets) {
    const problem = await freezeSet(set, stepping)
    if (problem !== null) return { event: 'stop', outcome: `${keyOf(set)}: ${problem}` }
  }
  return untilQuiet(stepping)
}

/** Null: its caps are the frozen ones, under our mark. Otherwise why not. */
async function freezeSet(set: ScopedSet, { run, deps, signal }: Stepping): Promise<string | null> {
  const { id } = run.record
  const frozen = frozenCaps(set.recorded)
  let isSent = set.freeze !== 'none'
  for (let tries = 0; tries < applyBounds.freezeTriesMax; tries++) {
    const caps = await deps.cluster.readCaps(set, signal)
    if (caps === null || caps.uid !== set.uid) return 'it is gone, or another set of that name is there'
    if (caps.mark === id && sameCaps(caps, frozen)) {
      await run.keepSet(set, { freeze: 'frozen' })
      return null
    }
    if (!sameCaps(caps, set.recorded) || caps.mark !== null)
      return `somebody else changed it: expected ${capsText(set.recorded)}, got ${capsText(caps)}`
    const { uid, resourceVersion } = caps
    await run.note({
      subject: subjectOf(set),
      outcome: `to be frozen now: ${capsText(frozen)}; recorded ${capsText(set.recorded)}; by uid ${uid} and resourceVersion ${resourceVersion}`,
    })
    await run.keepSet(set, { freeze: 'begun' })
    const { namespace, name } = set
    const target = { namespace, name, uid, resourceVersion }
    const answer = await deps.cluster
      .patchCaps(target, { ...frozen, mark: id }, signal)
      .catch((error: unknown) => ({ refused: reasonOf(error) }))
    if (typeof answer === 'object') {
      if (!isSent) await run.keepSet(set, { freeze: 'none' })
      return `not frozen: ${answer.refused}`
    }
    if (answer === 'patched') {
      await run.keepSet(set, { freeze: 'frozen' })
      return null
    }
    isSent = true
    await deps.clock.sleep(applyBounds.retryMs, signal)
  }
  return `not frozen after ${applyBounds.freezeTriesMax} tries: another writer, or no answer`
}

/** The listener has the frozen caps, and the idle runners are gone; busy ones are noted, and go on. */
async function untilQuiet({ run, deps, signal }: Stepping): Promise<StepEnd> {
  const { cluster, clock } = deps
  const until = clock.now() + applyBounds.quietMaxMs
  for (;;) {
    const looked = await attempted(async () => {
      const sets: { set: ScopedSet; quiet: Quiet; isSingle: boolean }[] = []
      for (const set of run.record.sets) {
        const reading = await cluster.readSet(set, signal)
        const isSingle = reading.set?.isSingleSetLayout === true
        sets.push({ set, quiet: quietOf(reading, frozenCaps(set.recorded)), isSingle })
      }
      return sets
    })
    const isOver = clock.now() >= until || signal.aborted
    if ('failure' in looked) {
      if (isOver) return { event: 'stop', outcome: `the sets could not be read: ${looked.failure}` }
    } else {
      const sets = looked.value
      const isQuiet = sets.every(({ quiet }) => quiet.isListenerFrozen && quiet.idle.length === 0)
      if (isQuiet || isOver) {
        for (const { set, quiet } of sets)
          await run.keepSet(set, { busy: quiet.busy.slice(0, applyBounds.busyNamesMax) })
        return signal.aborted ? { event: 'stop', outcome: 'interrupted' } : quietEnd(sets)
      }
    }
    await clock.sleep(applyBounds.lookEveryMs, signal).catch(() => {}) // the next look ends an interrupted wait
  }
}

function quietEnd(
  sets: readonly { readonly set: ScopedSet; readonly quiet: Quiet; readonly isSingle: boolean }[],
): StepEnd {
  const unfrozen = sets.filter(({ quiet }) => !quiet.isListenerFrozen).map(({ set }) => keyOf(set))
  if (unfrozen.length > 0)
    return { event: 'stop', outcome: `the listener does not take the frozen caps on: ${unfrozen.join(', ')}` }
  const idle = sets.flatMap(({ quiet }) => quiet.idle)
  const blocked = sets.filter(({ quiet, isSingle }) => isSingle && quiet.idle.length > 0)
  if (blocked.length > 0)
    return {
      event: 'stop',
      outcome: `idle runners are left, and this release of ARC would wait for them for ever: ${idle.join(', ')}`,
    }
  const busy = sets.flatMap(({ quiet }) => quiet.busy)
  return {
    event: 'pass',
    outcome: `frozen; ${counted(busy.length, 'busy runner')} to go on${idle.length === 0 ? '' : `; idle ones are left: ${idle.join(', ')}`}`,
  }
}

export function subjectOf(set: ScopedSet): string {
  return `AutoscalingRunnerSet ${keyOf(set)}`
}
