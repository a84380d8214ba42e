import type { Context } from 'hono'

/** `app`: the App itself. `token`: somebody with a token that never ends. `installation`: the App in one account. */
export type Caller =
  | { readonly kind: 'app' }
  | { readonly kind: 'token' }
  | { readonly kind: 'installation'; readonly id: number }

const KEY = 'caller'

export function noteCaller(c: Context, caller: Caller): void {
  c.set(KEY, caller)
}

/** Under which the forge counts what this caller does. */
export function callerKey(c: Context): string {
  const caller = callerOf(c)
  return caller.kind === 'installation' ? `installation ${caller.id}` : caller.kind
}

/** Who makes this call; whoever reaches a route was judged before. */
export function callerOf(c: Context): Caller {
  return c.get(KEY) as Caller
}
