import type { Purpose } from '../../../ports/budget.ts'
import type { Authority } from '../auth/authority.ts'
import type { Identity } from '../auth/credentials.ts'
import type { Call } from './call.ts'
import type { Send } from './send.ts'

/** Makes calls under an identity and for a purpose. */
export type CallAs = (identity: Identity, purpose: Purpose) => Call

/** Calls with the identity's credentials; replaces a rejected token (revoked, or created by an old key) once. */
export function createCallAs(send: Send, authority: Authority): CallAs {
  return (identity, purpose) => async (method, path, signal, extras) => {
    const request = { method, path, purpose, ...extras }
    const { bearer, account, forget } = await authority.credentialsFor(identity, purpose, signal)
    const answer = await send({ ...request, bearer, account }, signal)
    if (answer.status !== 401 || forget === null || !forget(answer)) return answer
    const fresh = await authority.credentialsFor(identity, purpose, signal)
    return send({ ...request, bearer: fresh.bearer, account: fresh.account }, signal)
  }
}
