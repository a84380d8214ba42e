import type { TrailEntry } from '../../../src/domain/trail/index.ts'
import type { Mutant } from '../mutant.ts'
import { override } from '../override.ts'
import type { ForeignSide } from './fleet.ts'

/** Mutants of what the leader's reaper stands on. */
export const foreignMutants: readonly Mutant[] = [
  {
    name: 'the reaper takes every runner of a foreign fleet for free',
    breaks: ['R1'],
    mutate: changed((side) => ({
      ...side,
      forge: override(side.forge, {
        async readRunner(scope, name, signal) {
          const { at, runner } = await side.forge.readRunner(scope, name, signal)
          return { at, runner: runner && { ...runner, isBusy: false, isOnline: true } }
        },
      }),
    })),
  },
  {
    name: 'the reaper writes its row after the deletion',
    breaks: ['R3'],
    mutate: changed((side) => ({ ...side, trail: lateRows(side.trail) })),
  },
]

function changed(change: (side: ForeignSide) => ForeignSide): Mutant['mutate'] {
  return (around) => ({ ...around, foreign: around.foreign === null ? null : change(around.foreign) })
}

/** The row of a re-check is kept back until the next one. */
function lateRows(trail: ForeignSide['trail']): ForeignSide['trail'] {
  const held: TrailEntry[] = []
  return {
    ...trail,
    async append(entry) {
      if (entry.step === 're-checked') {
        held.push(entry)
        return { ...entry, number: 0, previous: '', hash: '' }
      }
      for (const each of held.splice(0)) await trail.append(each)
      return trail.append(entry)
    },
  }
}
