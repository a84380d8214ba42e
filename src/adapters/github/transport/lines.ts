import type { Purpose } from '../../../ports/budget.ts'
import type { Authority } from '../auth/authority.ts'
import type { Identity } from '../auth/credentials.ts'
import type { Call } from './call.ts'
import type { Send } from './send.ts'

/** A line to the forge: calls as somebody and for some purpose. */
export type Lines = (identity: Identity, purpose: Purpose) => Call

/** A token that is not taken any more (it was revoked, or made by a key that is gone) is replaced once. */
export function createLines(send: Send, authority: Authority): Lines {
  return (identity, purpose) => async (method, path, signal, extras) => {
    const request = { method, path, purpose, ...extras }
    const { bearer, account, forget } = await authority.prove(identity, purpose, signal)
    const answer = await send({ ...request, bearer, account }, signal)
    if (answer.status !== 401 || forget === null || !forget(answer)) return answer
    const fresh = await authority.prove(identity, purpose, signal)
    return send({ ...request, bearer: fresh.bearer, account: fresh.account }, signal)
  }
}
