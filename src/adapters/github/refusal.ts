import { HoldfastError } from '../../domain/errors/index.ts'
import type { IncidentKind } from '../../domain/incident/index.ts'
import type { MintRefused } from '../../ports/forge.ts'
import { messageSchema } from './schemas.ts'
import type { ApiResponse } from './transport/call.ts'

const retryMsMax = 60 * 60_000
/** The wait that GitHub asks for after a secondary rate limit without a time. */
const secondaryLimitMs = 60_000
/** The back-off of a refusal that only a person can lift. */
const incidentRetryMs = 10 * 60_000
const reasonLengthMax = 300

type Concerns = MintRefused['concerns']
interface Known {
  readonly concerns: Concerns
  readonly incident: IncidentKind | null
}

/** Messages of GitHub for which a person has to act, whatever the status. */
const byText: readonly (readonly [RegExp, Concerns, IncidentKind])[] = [
  [/repository level self-hosted runners are disabled/i, 'repository', 'runners-disabled'],
  [/actions (?:is|are|has been) disabled/i, 'repository', 'actions-disabled'],
  [/ip address is not permitted|ip allow list/i, 'account', 'ip-not-allowed'],
  [/suspended/i, 'account', 'installation-suspended'],
  [/max(?:imum)? limit of [\d,]+ runners/i, 'account', 'runner-group-full'],
  [/resource not accessible by|saml enforcement/i, 'repository', 'repository-not-covered'],
]

/** A refusal by the forge or by our budget on the way to a result, with its reason. */
export class ForgeRefusal extends HoldfastError {
  readonly refusal: MintRefused
  /** The status of the forge's answer; null: nothing was sent. */
  readonly status: number | null

  constructor(call: string, refusal: MintRefused, why = refusal.reason, status: number | null = null) {
    super('E_FORGE_UNAVAILABLE', { call, why })
    this.refusal = refusal
    this.status = status
  }
}

/** Whether the forge answered that an object does not exist, or hides it from us. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ForgeRefusal && (error.status === 404 || error.status === 410)
}

/** The scope of a refusal, its incident and when to retry. Null: the answer is no refusal that we know. */
export function refusalOf(answer: ApiResponse): MintRefused | null {
  const known = meaningOf(answer)
  if (known === null) return null
  return refused(known.concerns, known.incident, refusalText(answer), retryAfterMs(answer))
}

/** A refusal; one that only a person can lift is retried slowly. */
export function refused(
  concerns: Concerns,
  incident: IncidentKind | null,
  reason: string,
  askedMs: number | null = null,
): MintRefused {
  const retryMs = incident === null ? askedMs : Math.max(askedMs ?? 0, incidentRetryMs)
  return { kind: 'refused', concerns, reason, retryAfterMs: retryMs, incident }
}

/** Whether the answer is a rate limit. */
export function isLimit({ status, headers, body }: Omit<ApiResponse, 'at'>): boolean {
  if (status === 429) return true
  if (status !== 403) return false
  const isSpent = headers.get('x-ratelimit-remaining') === '0' || headers.has('retry-after')
  return isSpent || /rate limit|secondary limit/i.test(messageOf({ body }))
}

/** GitHub's error message, in one line. */
export function messageOf({ body }: Pick<ApiResponse, 'body'>): string {
  const parsed = messageSchema.safeParse(body)
  return parsed.success ? parsed.data.message.replaceAll(/\s+/g, ' ') : ''
}

/** Status and message of a refusal, for people. */
export function refusalText(answer: ApiResponse): string {
  return `${answer.status} ${messageOf(answer)}`.slice(0, reasonLengthMax).trim()
}

/** The wait that the forge asks for; null: none. */
export function retryAfterMs(answer: ApiResponse): number | null {
  const asked = askedMs(answer)
  if (asked !== null) return Math.min(Math.max(asked, 0), retryMsMax)
  return isLimit(answer) ? secondaryLimitMs : null
}

function meaningOf(answer: ApiResponse): Known | null {
  const { status } = answer
  if (status < 400 || status >= 500) return null
  if (status === 401) return { concerns: 'account', incident: 'credentials-refused' }
  if (isLimit(answer)) return { concerns: 'account', incident: null }
  const match = byText.find(([words]) => words.test(messageOf(answer)))
  if (match !== undefined) return { concerns: match[1], incident: match[2] }
  if (status === 403 || status === 404) return { concerns: 'repository', incident: 'repository-not-covered' }
  return { concerns: status === 410 || status === 451 ? 'repository' : 'job', incident: null }
}

function askedMs({ headers, at }: ApiResponse): number | null {
  const after = headers.get('retry-after')
  if (after !== null && /^\d+$/.test(after)) return Number(after) * 1000
  if (after !== null && !Number.isNaN(Date.parse(after))) return Date.parse(after) - at
  const resetSeconds = Number(headers.get('x-ratelimit-reset') ?? Number.NaN)
  const isSpent = headers.get('x-ratelimit-remaining') === '0'
  return isSpent && Number.isFinite(resetSeconds) ? resetSeconds * 1000 - at : null
}
