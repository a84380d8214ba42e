import type { EnvFact, ScaleSetFact } from '../../snapshot/index.ts'
import type { DeclaredNixCache } from '../contract/contract.ts'

/** A scale set that uses the Nix cache, or is declared to. */
export interface NixLane {
  readonly set: ScaleSetFact
  readonly env: ReadonlyMap<string, EnvFact>
  /** A whole Secret or ConfigMap of variables, which may have any of the cache's. */
  readonly imported: EnvFact | null
  /** Null where no contract declares that its lane uses the cache. */
  readonly declared: DeclaredNixCache | null
}

export const serverName = 'ATTIC_SERVER'
export const cacheName = 'ATTIC_CACHE'
export const tokenName = 'ATTIC_TOKEN'
const prefix = 'ATTIC_'

export function nixLanes(
  sets: readonly ScaleSetFact[],
  nixCache: DeclaredNixCache | null,
): readonly NixLane[] {
  return sets.flatMap((set) => {
    const all = set.template.containers.flatMap(({ env }) => env)
    const own = all.filter(({ name }) => name.startsWith(prefix) && !name.endsWith('*'))
    const imported =
      all.find(({ name }) => name.endsWith('*') && prefix.startsWith(name.slice(0, -1))) ?? null
    const isDeclared = nixCache?.lanes.some((label) => set.runnerLabels.includes(label)) ?? false
    if (!isDeclared && own.length === 0) return []
    return {
      set,
      env: new Map(own.map((each) => [each.name, each])),
      imported,
      declared: isDeclared ? nixCache : null,
    }
  })
}

/** A value that was read: undefined where the variable is not set, null where only its origin is known. */
export function variable({ env, imported }: NixLane, name: string): string | null | undefined {
  const found = env.get(name) ?? imported
  return found === null ? undefined : found.value
}

/** Where a variable comes from whose value was not read. */
export function originText({ env, imported }: NixLane, name: string): string {
  const { from, ref } = env.get(name) ?? imported ?? { from: 'value', ref: null }
  return ref === null ? from : `${from} ${ref}`
}
