import { HoldfastError } from '../../domain/errors/index.ts'
import type { IncidentKind } from '../../domain/incident/index.ts'
import type { MintRefused } from '../../ports/forge.ts'
import { messageSchema } from './schemas.ts'
import type { Answer } from './transport/call.ts'

const RETRY_MS_MAX = 60 * 60_000
/** GitHub asks for at least this after a secondary limit that names no time. */
const SECONDARY_LIMIT_MS = 60_000
/** What only a person can lift is not gone in a moment. */
const INCIDENT_RETRY_MS = 10 * 60_000
const REASON_LENGTH_MAX = 300

type Concerns = MintRefused['concerns']
interface Known {
  readonly concerns: Concerns
  readonly incident: IncidentKind | null
}

/** What GitHub says where a person has to act, whatever the status. */
const byText: readonly (readonly [RegExp, Concerns, IncidentKind])[] = [
  [/repository level self-hosted runners are disabled/i, 'repository', 'runners-disabled'],
  [/actions (?:is|are|has been) disabled/i, 'repository', 'actions-disabled'],
  [/ip address is not permitted|ip allow list/i, 'account', 'ip-not-allowed'],
  [/suspended/i, 'account', 'installation-suspended'],
  [/max(?:imum)? limit of [\d,]+ runners/i, 'account', 'runner-group-full'],
  [/resource not accessible by|saml enforcement/i, 'repository', 'repository-not-covered'],
]

/** A forge that said no, or a budget that did, on the way to what was asked: no answer, but no riddle either. */
export class ForgeRefusal extends HoldfastError {
  readonly refusal: MintRefused
  /** What the forge answered; null: it was not asked. */
  readonly status: number | null

  constructor(call: string, refusal: MintRefused, why = refusal.reason, status: number | null = null) {
    super('E_FORGE_UNAVAILABLE', { call, why })
    this.refusal = refusal
    this.status = status
  }
}

/** Whether the forge said that there is no such thing, or none that it shows us. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ForgeRefusal && (error.status === 404 || error.status === 410)
}

/** Whom a refusal concerns, who can lift it, and when to ask again. Null: the answer is no refusal that we know. */
export function refusalOf(answer: Answer): MintRefused | null {
  const known = meaningOf(answer)
  if (known === null) return null
  return refused(known.concerns, known.incident, reasonOf(answer), retryAfterMs(answer))
}

/** A refusal; what only a person can lift is tried again slowly. */
export function refused(
  concerns: Concerns,
  incident: IncidentKind | null,
  reason: string,
  askedMs: number | null = null,
): MintRefused {
  const retryMs = incident === null ? askedMs : Math.max(askedMs ?? 0, INCIDENT_RETRY_MS)
  return { kind: 'refused', concerns, reason, retryAfterMs: retryMs, incident }
}

/** Whether the forge asks us to slow down. */
export function isLimit({ status, headers, body }: Omit<Answer, 'at'>): boolean {
  if (status === 429) return true
  if (status !== 403) return false
  const isSpent = headers.get('x-ratelimit-remaining') === '0' || headers.has('retry-after')
  return isSpent || /rate limit|secondary limit/i.test(messageOf({ body }))
}

/** GitHub's own words about an error, in one line. */
export function messageOf({ body }: Pick<Answer, 'body'>): string {
  const parsed = messageSchema.safeParse(body)
  return parsed.success ? parsed.data.message.replaceAll(/\s+/g, ' ') : ''
}

/** Status and words of a refusal, for people. */
export function reasonOf(answer: Answer): string {
  return `${answer.status} ${messageOf(answer)}`.slice(0, REASON_LENGTH_MAX).trim()
}

/** How long the forge asks us to wait; null: it does not. */
export function retryAfterMs(answer: Answer): number | null {
  const asked = askedMs(answer)
  if (asked !== null) return Math.min(Math.max(asked, 0), RETRY_MS_MAX)
  return isLimit(answer) ? SECONDARY_LIMIT_MS : null
}

function meaningOf(answer: Answer): Known | null {
  const { status } = answer
  if (status < 400 || status >= 500) return null
  if (status === 401) return { concerns: 'account', incident: 'credentials-refused' }
  if (isLimit(answer)) return { concerns: 'account', incident: null }
  const said = byText.find(([words]) => words.test(messageOf(answer)))
  if (said !== undefined) return { concerns: said[1], incident: said[2] }
  if (status === 403 || status === 404) return { concerns: 'repository', incident: 'repository-not-covered' }
  return { concerns: status === 410 || status === 451 ? 'repository' : 'job', incident: null }
}

function askedMs({ headers, at }: Answer): number | null {
  const after = headers.get('retry-after')
  if (after !== null && /^\d+$/.test(after)) return Number(after) * 1000
  if (after !== null && !Number.isNaN(Date.parse(after))) return Date.parse(after) - at
  const resetSeconds = Number(headers.get('x-ratelimit-reset') ?? Number.NaN)
  const isSpent = headers.get('x-ratelimit-remaining') === '0'
  return isSpent && Number.isFinite(resetSeconds) ? resetSeconds * 1000 - at : null
}
