import { parseQuantity } from '../../../quantity.ts'
import { requestAboveLimit } from '../classes.ts'
import { entryOf, type TomlEntry, type TomlTable, wordsIn } from '../document.ts'
import { type ResourceKey, resourceKeys } from '../keys/resources.ts'
import type { Problem } from '../problem.ts'
import type { TomlRunner } from '../runners.ts'

/** An amount that the file states, with its place. */
export interface StatedAmount extends ResourceKey {
  readonly entry: TomlEntry
  /** As it is written. */
  readonly text: string
  readonly amount: number
}

/** The amounts that a runner states; what is no quantity is left out. */
export function statedAmounts(kubernetes: TomlTable): readonly StatedAmount[] {
  return resourceKeys.flatMap((each) => {
    const entry = entryOf(kubernetes, each.key)
    const text = wordsIn(kubernetes, each.key)
    const amount = parseQuantity(text)
    return entry === null || text === null || amount === null ? [] : [{ ...each, entry, text, amount }]
  })
}

/** Requests above their limit: the API server refuses the pod of every job. */
export function requestsAboveLimits({ kubernetes }: TomlRunner): readonly Problem[] {
  if (kubernetes === null) return []
  const stated = statedAmounts(kubernetes)
  return stated.flatMap((request) => {
    if (request.bound !== 'request') return []
    const limit = stated.find(
      ({ of, resource, bound }) => of === request.of && resource === request.resource && bound === 'limit',
    )
    if (limit === undefined || request.amount <= limit.amount) return []
    return [
      {
        class: requestAboveLimit,
        severity: 'critical' as const,
        line: request.entry.line,
        path: `runners.kubernetes.${request.key}`,
        summary: `${request.key} is ${request.text}, above ${limit.key} of ${limit.text} at line ${limit.entry.line}: the API server refuses the pod of every job.`,
        fix: 'Lower the request or raise the limit.',
      },
    ]
  })
}
