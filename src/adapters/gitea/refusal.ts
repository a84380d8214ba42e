import type { MintRefused } from '../../ports/forge.ts'
import { messageOf } from './answers.ts'
import type { ApiResponse } from './call.ts'

const retryMsMax = 60 * 60_000
const reasonLengthMax = 300

/** The refusal of a registration token. Null: the answer is no refusal that we know. */
export function refusalOf(answer: ApiResponse): MintRefused | null {
  const { status } = answer
  if (status < 400 || status >= 500) return null
  const message = messageOf(answer)
  const reason = `${status} ${message}`.trim().slice(0, reasonLengthMax)
  const refused = { kind: 'refused', reason, retryAfterMs: retryAfterMs(answer) } as const
  if (status === 401 || (status === 403 && /scope/i.test(message))) {
    return { ...refused, concerns: 'account', incident: 'credentials-refused' }
  }
  if (status === 429) return { ...refused, concerns: 'account', incident: null }
  if (status === 403 || status === 404) {
    return { ...refused, concerns: 'repository', incident: 'repository-not-covered' }
  }
  return { ...refused, concerns: 'job', incident: null }
}

/** The refusal of a registration; the service for runners answers every refusal as an internal error. */
export function registrationRefusalOf({ status, body }: ApiResponse): MintRefused | null {
  if (status !== 404) return null
  const reason = `${status} ${messageOf({ body })} (Actions are not enabled in this Gitea: [actions] ENABLED)`
  return {
    kind: 'refused',
    concerns: 'account',
    incident: 'actions-disabled',
    reason: reason.replaceAll(/\s+/g, ' '),
    retryAfterMs: null,
  }
}

/** The refusal of a pool's runner group: Gitea has none. */
export function groupless(named: string): MintRefused {
  const reason = `The pool's runners belong into the group "${named}", but Gitea has no runner groups.`
  return {
    kind: 'refused',
    concerns: 'job',
    incident: 'runner-group-unsupported',
    reason,
    retryAfterMs: null,
  }
}

/** Whether the registration token was replaced by another one between the two calls of a mint. */
export function isStaleToken({ body }: Pick<ApiResponse, 'body'>): boolean {
  return /registration token (not found|has been invalidated)/.test(messageOf({ body }))
}

function retryAfterMs({ headers }: ApiResponse): number | null {
  const after = headers.get('retry-after')
  if (after === null || !/^\d+$/.test(after)) return null
  return Math.min(Number(after) * 1000, retryMsMax)
}
