import { HoldfastError } from '../../../../domain/errors/index.ts'
import { reasonOf } from '../../../../domain/reason.ts'
import type { Unread } from '../../../../domain/snapshot/index.ts'
import type { ObjectKind } from '../../../../ports/cluster.ts'
import type { ReadContext } from './context.ts'

/** Of one list's unread parts, so many are named. */
const namedMax = 50
const whyCharsMax = 500

/** A part that got this error instead of an answer; the caller's own end is thrown on. */
export function unreadOf(
  { what, right }: { readonly what: string; readonly right: string },
  error: unknown,
  { callers, mask }: Pick<ReadContext, 'callers' | 'mask'>,
): Unread {
  callers.throwIfAborted()
  const why = mask(reasonOf(error), whyCharsMax)
  return { what, why, needs: isForbidden(error) ? right : null }
}

export function isForbidden(error: unknown): boolean {
  return error instanceof HoldfastError && error.code === 'E_CLUSTER_REFUSED' && error.params.code === 403
}

/** A right as people grant it: `list ephemeralrunners.actions.github.com in ci`. */
export function rightTo(verb: string, { plural, group }: ObjectKind, namespace?: string): string {
  const resource = group === '' ? plural : `${plural}.${group}`
  return namespace === undefined ? `${verb} ${resource}` : `${verb} ${resource} in ${namespace}`
}

/** The same parts, the last of them only counted where they are many. */
export function boundUnread(what: string, unread: readonly Unread[]): readonly Unread[] {
  if (unread.length <= namedMax) return unread
  const why = `as of the ${namedMax} before`
  return [
    ...unread.slice(0, namedMax),
    { what: `${what}: ${unread.length - namedMax} more`, why, needs: null },
  ]
}
