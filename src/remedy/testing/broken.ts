import type { Remedy, RemedyFacts } from '../../domain/remedy/index.ts'
import type { TrailEntry } from '../../domain/trail/index.ts'
import type { ReapDeps, RemedyWorld } from './world.ts'

/** A variant of a remedy or of what it stands on: the first is right, and each of the others lacks one thing. */
export interface Broken {
  readonly name: string
  /** Whether its plans are broken as well; else they are those of the right one. */
  readonly isPlanBroken?: true
  remedy<F extends RemedyFacts>(remedy: Remedy<F>): Remedy<F>
  deps(deps: ReapDeps, world: RemedyWorld): ReapDeps
}

export const right: Broken = { name: 'nothing', remedy: (remedy) => remedy, deps: (deps) => deps }

/** Variants of the machine itself, shown on `reap`. */
export const broken: readonly Broken[] = [
  { ...right, name: 're-check dropped', remedy: (remedy) => ({ ...remedy, rechecks: [] }) },
  {
    ...right,
    name: 'one source: the forge is not asked for its word',
    remedy: without('not-busy-at-forge', 'started-container'),
  },
  {
    ...right,
    name: 'stale plan accepted',
    isPlanBroken: true,
    remedy: (remedy) => ({ ...remedy, bounds: { ...remedy.bounds, planAgeMaxMs: 24 * 60 * 60_000 } }),
  },
  { ...right, name: 'plan accepted twice', remedy: without('plan-unused') },
  { ...right, name: 'precondition dropped', deps: withRemoval(anyState) },
  { ...right, name: 'finalizers stripped', deps: withRemoval(stripped) },
  {
    ...right,
    name: 'a runner without ARC’s finalizer accepted',
    isPlanBroken: true,
    remedy: without('finalizer-of-arc'),
  },
  { ...right, name: 'bounds ignored', isPlanBroken: true, remedy: without('bounds', 'bound-of-run') },
  { ...right, name: 'trail written after the act', deps: lateTrail },
  {
    ...right,
    name: 'verification skipped',
    remedy: (remedy) => ({ ...remedy, verifications: [], proofs: [] }),
  },
  { ...right, name: 'lost answer repeated blindly', deps: withRemoval(repeatedBlindly) },
]

/** One gate of a remedy is missing, already when it plans. */
export function lacking(gate: string): Broken {
  return { ...right, name: `without ${gate}`, isPlanBroken: true, remedy: without(gate) }
}

function without(...names: readonly string[]): Broken['remedy'] {
  const rest = <T extends { readonly name: string }>(gates: readonly T[]) =>
    gates.filter(({ name }) => !names.includes(name))
  return (remedy) => ({ ...remedy, approvals: rest(remedy.approvals), rechecks: rest(remedy.rechecks) })
}

type Remove = ReapDeps['cluster']['removeRunner']

function withRemoval(change: (remove: Remove, world: RemedyWorld) => Remove): Broken['deps'] {
  return (deps, world) => ({
    ...deps,
    cluster: { ...deps.cluster, removeRunner: change(deps.cluster.removeRunner, world) },
  })
}

/** Deletes by name alone. */
function anyState(remove: Remove, world: RemedyWorld): Remove {
  return (target, signal) => remove({ ...target, ...world.runners.get(target.name) }, signal)
}

function stripped(remove: Remove, world: RemedyWorld): Remove {
  return async (target, signal) => {
    const removal = await remove(target, signal)
    if (world.runners.get(target.name)?.uid === target.uid) world.stripFinalizers(target.name)
    return removal
  }
}

function repeatedBlindly(remove: Remove, world: RemedyWorld): Remove {
  return async (target, signal) => {
    const removal = await remove(target, signal)
    return removal === 'unknown' ? anyState(remove, world)(target, signal) : removal
  }
}

/** Rows before an act are kept back until the next one. */
function lateTrail(deps: ReapDeps): ReapDeps {
  const held: TrailEntry[] = []
  return {
    ...deps,
    trail: {
      ...deps.trail,
      async append(entry) {
        if (entry.step === 're-checked') {
          held.push(entry)
          return { ...entry, number: 0, previous: '', hash: '' }
        }
        for (const each of held.splice(0)) await deps.trail.append(each)
        return deps.trail.append(entry)
      },
    },
  }
}
