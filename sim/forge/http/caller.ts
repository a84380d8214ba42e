import type { Context } from 'hono'

/** `app`: the App itself. `token`: somebody with a token that never ends. `installation`: the App in one account. */
export type Caller =
  | { readonly kind: 'app' }
  | { readonly kind: 'token' }
  | { readonly kind: 'installation'; readonly id: number }

const key = 'caller'

export function noteCaller(c: Context, caller: Caller): void {
  c.set(key, caller)
}

/** Under which the forge counts what this caller does. */
export function callerKey(c: Context): string {
  const caller = callerOf(c)
  return caller.kind === 'installation' ? `installation ${caller.id}` : caller.kind
}

/** The caller of this request, which was authenticated before its route. */
export function callerOf(c: Context): Caller {
  return c.get(key) as Caller
}
