import type { RunnerFact, RunnerSetFact, ScaleSetFact } from '../../snapshot/index.ts'
import type { Instant } from '../../time.ts'
import { staleGraceMs } from './bounds.ts'

/** Generations that are the newest: by creation, and where that does not separate them, by what the set declares. */
function newestOf(set: ScaleSetFact, generations: readonly RunnerSetFact[]): readonly RunnerSetFact[] {
  const newestAt = Math.max(...generations.map(({ createdAt }) => createdAt ?? 0))
  const newest = generations.filter(({ createdAt }) => createdAt === newestAt)
  const hashes = new Set(newest.map(({ specHash }) => specHash))
  if (hashes.has(null) || hashes.size < newest.length) return newest
  const asDeclared = newest.filter(({ images }) => !differsFromSpec(images, set))
  return asDeclared.length === 1 ? asDeclared : newest
}

/** Null where nothing separates the generations, or there is none. */
export function newestGeneration(
  set: ScaleSetFact,
  generations: readonly RunnerSetFact[],
): RunnerSetFact | null {
  const [newest, ...others] = generations.length === 1 ? generations : newestOf(set, generations)
  return others.length === 0 ? (newest ?? null) : null
}

/** Older generations, each with whether a newer one has been there for longer than a rollover takes. */
export function olderGenerations(
  set: ScaleSetFact,
  generations: readonly RunnerSetFact[],
  now: Instant,
): readonly { readonly generation: RunnerSetFact; readonly hasStayed: boolean }[] {
  const newest = new Set(newestOf(set, generations))
  const [{ createdAt: newestAt = null } = {}] = newest
  const settledAt = Math.max(
    ...generations.map(({ createdAt }) =>
      createdAt !== null && now - createdAt >= staleGraceMs ? createdAt : 0,
    ),
  )
  return generations.flatMap((generation) => {
    const { createdAt } = generation
    if (newest.has(generation) || createdAt === null) return []
    // One that is as old as the newest was separated from it by its hash.
    const isNewer = createdAt < settledAt || (createdAt === settledAt && createdAt === newestAt)
    return [{ generation, hasStayed: isNewer }]
  })
}

/** Whether a container has another image than the set declares. Hashes of a set and of its runners are of different things. */
export function differsFromSpec(images: RunnerFact['images'], { template }: ScaleSetFact): boolean {
  return template.containers.some(({ name, image }) => (images[name] ?? image) !== image)
}
