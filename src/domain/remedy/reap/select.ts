import { differsFromSpec, newestGeneration } from '../../audit/runtime/generation.ts'
import { durationText } from '../../format.ts'
import type { RunnerFact, RunnerSetFact, ScaleSetFact } from '../../snapshot/index.ts'
import type { Instant } from '../../time.ts'
import { hasRunningListener, type SetReading } from '../reading.ts'
import type { ReapArm, ReapScope } from './scope.ts'

/** One runner of a set: which arm of the reaper takes it, or why none does. */
export interface Selection {
  readonly runner: RunnerFact
  /** Null: it stays. */
  readonly arm: ReapArm | null
  readonly why: string
}

/**
 * Which runners of a set the cluster's own facts make eligible, oldest first: the same function judges a plan and each re-check.
 * Whether they are busy is asked of the forge besides.
 */
export function selectRunners(
  reading: SetReading,
  scope: Pick<ReapScope, 'isStaleGeneration' | 'minAgeMs'>,
  now: Instant,
): readonly Selection[] {
  const { set, runners } = reading
  if (set === null || set.deletedAt !== null)
    return runners.map((runner) => stays(runner, 'its set is gone or is being deleted'))
  const excess = excessOf(reading, scope.minAgeMs, now)
  return [...runners].sort(byAge).map((runner) => {
    const reason = reasonToStay(runner)
    if (reason !== null) return stays(runner, reason)
    const chosen =
      idleLeak(runner, reading, excess) ??
      (scope.isStaleGeneration ? staleGeneration(runner, set, reading) : null) ??
      stays(runner, 'no more runners than wanted')
    const ageMs = ageOf(runner, now)
    if (chosen.arm === null || ageMs >= scope.minAgeMs) return chosen
    return stays(runner, `${durationText(ageMs)} old: younger than ${durationText(scope.minAgeMs)}`)
  })
}

function reasonToStay({ deletedAt, job, phase, failures }: RunnerFact): string | null {
  if (deletedAt !== null) return 'it is being deleted already'
  if (job !== null) return `it has a job${job.repository === null ? '' : ` of ${job.repository}`}`
  if (phase !== 'Running') return `its phase is ${phase ?? 'unknown'}: another remedy`
  return failures.length === 0 ? null : 'its pods failed: ARC makes them again by itself'
}

/** The oldest runners without a job above what each generation wants, never more than the difference. */
function excessOf({ generations, runners }: SetReading, minAgeMs: number, now: Instant): ReadonlySet<string> {
  return new Set(
    generations.flatMap((generation) => {
      const present = runners.filter(
        (runner) => runner.deletedAt === null && runner.phase !== 'Succeeded' && isOf(runner, generation),
      )
      return present
        .filter((runner) => reasonToStay(runner) === null && ageOf(runner, now) >= minAgeMs)
        .sort(byAge)
        .slice(0, Math.max(0, present.length - generation.replicas))
        .map(({ uid }) => uid)
    }),
  )
}

/** Oldest first; equal ages by name, so that a plan and its re-check choose the same. */
function byAge(a: RunnerFact, b: RunnerFact): number {
  return (a.createdAt ?? 0) - (b.createdAt ?? 0) || (a.name < b.name ? -1 : 1)
}

function idleLeak(
  runner: RunnerFact,
  { generations, runners }: SetReading,
  excess: ReadonlySet<string>,
): Selection | null {
  const generation = generations.find((each) => isOf(runner, each))
  if (generation === undefined) return stays(runner, 'its generation is not known')
  if (generation.replicas > 0 && !excess.has(runner.uid)) return null
  const present = runners.filter((each) => each.deletedAt === null && isOf(each, generation)).length
  return {
    runner,
    arm: 'idle-leak',
    why: `no job, and ${generation.name} wants ${generation.replicas} of ${present}`,
  }
}

function staleGeneration(runner: RunnerFact, set: ScaleSetFact, reading: SetReading): Selection | null {
  return set.isSingleSetLayout
    ? staleInSingleSet(runner, set, reading)
    : staleByGeneration(runner, set, reading)
}

/** Generations by age, then by hash; where neither separates them, nothing is stale. */
function staleByGeneration(
  runner: RunnerFact,
  set: ScaleSetFact,
  { generations }: SetReading,
): Selection | null {
  const newest = newestGeneration(set, generations)
  if (newest === null) return stays(runner, 'nothing says which generation is the newest')
  if (isOf(runner, newest)) return null
  return {
    runner,
    arm: 'stale-generation',
    why: `of ${runner.runnerSet?.name}; the newest is ${newest.name}`,
  }
}

/**
 * After 0.14.2 one object is patched in place. A runner that is deleted while that object has the old spec, or while the
 * listener is away for a rollover, is made again from the old spec: then nothing is gained, and it stays.
 */
function staleInSingleSet(runner: RunnerFact, set: ScaleSetFact, reading: SetReading): Selection | null {
  if (!differsFromSpec(runner.images, set)) return null
  const [only, ...others] = reading.generations
  if (only === undefined || others.length > 0) return stays(runner, 'a set of one generation has several')
  if (differsFromSpec(only.images, set) || !hasRunningListener(reading))
    return stays(runner, 'ARC would make it again from the old spec: the rollover waits for the whole set')
  return { runner, arm: 'stale-generation', why: `its image is not that of ${set.name}` }
}

function isOf({ runnerSet }: RunnerFact, { uid }: RunnerSetFact): boolean {
  return runnerSet?.uid === uid
}

/** Zero where the age is unknown: the young are never taken. */
function ageOf({ createdAt }: RunnerFact, now: Instant): number {
  return createdAt === null ? 0 : now - createdAt
}

function stays(runner: RunnerFact, why: string): Selection {
  return { runner, arm: null, why }
}
