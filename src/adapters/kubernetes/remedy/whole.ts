import { HoldfastError, isError } from '../../../domain/errors/index.ts'
import type { ObjectKind } from '../../../ports/cluster.ts'
import type { parseAll } from '../snapshot/index.ts'

/** Facts of all objects; throws where one has not the shape of its kind. */
export function wholly<T>(
  { items, unread }: ReturnType<typeof parseAll<T>>,
  { plural }: ObjectKind,
): readonly T[] {
  const [problem] = unread
  if (problem === undefined) return items
  throw new HoldfastError('E_CLUSTER_ANSWER', {
    call: `GET ${plural}`,
    problem: `${problem.what}: ${problem.why}`,
  })
}

/** Whether nothing can have happened: the cluster refused, or nothing was sent. */
export function isRefusal(error: unknown): boolean {
  if (isError(error, 'E_CLUSTER_REFUSED') || isError(error, 'E_CLUSTER_THROTTLED')) return true
  return isError(error, 'E_CLUSTER_UNREACHABLE') && error.params.outcomeUnknown === false
}
