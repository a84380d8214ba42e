import type { Keys } from './shape.ts'

/** A key that names an amount for the containers of a job's pod: `helper_memory_limit`. */
export interface ResourceKey {
  readonly key: string
  /** `build` for keys without a prefix; `pod`: of the pod as a whole. */
  readonly of: 'build' | 'helper' | 'service' | 'pod'
  readonly resource: 'cpu' | 'memory' | 'ephemeral-storage'
  readonly bound: 'limit' | 'request'
}

const prefixes = { build: '', helper: 'helper_', service: 'service_', pod: 'pod_' } as const
const words = { cpu: 'cpu', memory: 'memory', 'ephemeral-storage': 'ephemeral_storage' } as const

/** Every such key; the pod as a whole has no storage of its own. */
export const resourceKeys: readonly ResourceKey[] = (Object.keys(prefixes) as ResourceKey['of'][]).flatMap(
  (of) =>
    (Object.keys(words) as ResourceKey['resource'][])
      .filter((resource) => of !== 'pod' || resource !== 'ephemeral-storage')
      .flatMap((resource) =>
        (['limit', 'request'] as const).map((bound) => ({
          key: `${prefixes[of]}${words[resource]}_${bound}`,
          of,
          resource,
          bound,
        })),
      ),
)

/** The most that a job may ask for by a variable of its own; without it, it may not ask. */
export function overwriteKey({ key }: ResourceKey): string {
  return `${key}_overwrite_max_allowed`
}

/** The shapes of all of them. */
export const resourceShapes: Keys = Object.fromEntries(
  resourceKeys.flatMap((each) => [each.key, overwriteKey(each)]).map((key) => [key, 'string' as const]),
)
