import { differsFromSpec, newestGeneration } from '../../audit/runtime/generation.ts'
import type { RunnerFact } from '../../snapshot/index.ts'
import { hasRunningListener, type SetReading } from '../reading.ts'
import type { Caps } from './caps.ts'

/** A frozen set at rest, or what keeps it from that. `idle`: ARC has not taken these runners down yet. */
export interface Quiet {
  readonly isListenerFrozen: boolean
  readonly idle: readonly string[]
  readonly busy: readonly string[]
}

/** Whether the freeze is in effect: no listener scales by other caps. One that is away scales nothing. */
export function quietOf(reading: SetReading, frozen: Caps): Quiet {
  const live = reading.runners.filter(({ deletedAt, phase }) => deletedAt === null && phase !== 'Succeeded')
  return {
    isListenerFrozen: reading.listeners.every(
      ({ deletedAt, maxRunners }) => deletedAt === null && maxRunners === frozen.maxRunners,
    ),
    idle: live.filter(({ job }) => job === null).map(({ name }) => name),
    busy: live.filter(({ job }) => job !== null).map(({ name }) => name),
  }
}

/** Runners of an older generation; where ARC patches its one generation in place, those of another image than the set's. */
export function staleRunners({ set, generations, runners }: SetReading): readonly RunnerFact[] {
  if (set === null) return []
  if (set.isSingleSetLayout) return runners.filter(({ images }) => differsFromSpec(images, set))
  const newest = newestGeneration(set, generations)
  return newest === null ? [] : runners.filter(({ runnerSet }) => runnerSet?.uid !== newest.uid)
}

/** Whether the rollover is over: one generation, as the set declares it, and all runners are of it. */
export function isSettled(reading: SetReading): boolean {
  const { set, generations } = reading
  return (
    set !== null &&
    generations.length === 1 &&
    generations.every(({ images }) => !differsFromSpec(images, set)) &&
    hasRunningListener(reading) &&
    staleRunners(reading).length === 0
  )
}
