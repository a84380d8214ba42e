import type { Instant } from '../../domain/time.ts'
import type { MintRefused } from '../../ports/forge.ts'
import type { Answer } from './call.ts'
import { messageSchema } from './schemas.ts'

const RETRY_MS_MAX = 60 * 60_000
/** GitHub asks for at least this after a secondary limit that names no time. */
const SECONDARY_LIMIT_MS = 60_000
const REASON_LENGTH_MAX = 300

/** By these words GitHub says that the whole account is meant, whatever the status. */
const accountWide = /suspended|ip (address|allow list)|rate limit|secondary limit/i

/** Whom a refusal to mint concerns, and when to ask again. Null: the answer is no refusal that we know. */
export function refusalOf(answer: Answer, now: Instant): MintRefused | null {
  const concerns = concernedBy(answer)
  if (concerns === null) return null
  return {
    kind: 'refused',
    concerns,
    reason: `${answer.status} ${messageOf(answer)}`.slice(0, REASON_LENGTH_MAX).trim(),
    retryAfterMs: retryAfterMs(answer, now),
  }
}

/** Whether the forge asks us to slow down. */
export function isLimit({ status, headers, body }: Answer): boolean {
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

function concernedBy(answer: Answer): MintRefused['concerns'] | null {
  const { status } = answer
  if (status === 401 || isLimit(answer)) return 'account'
  if (status === 403 || status === 404 || status === 410 || status === 451) {
    return accountWide.test(messageOf(answer)) ? 'account' : 'repository'
  }
  return status >= 400 && status < 500 ? 'job' : null
}

function retryAfterMs(answer: Answer, now: Instant): number | null {
  const asked = askedMs(answer.headers, now)
  if (asked !== null) return Math.min(Math.max(asked, 0), RETRY_MS_MAX)
  return isLimit(answer) ? SECONDARY_LIMIT_MS : null
}

function askedMs(headers: Headers, now: Instant): number | null {
  const after = headers.get('retry-after')
  if (after !== null && /^\d+$/.test(after)) return Number(after) * 1000
  if (after !== null && !Number.isNaN(Date.parse(after))) return Date.parse(after) - now
  const resetSeconds = Number(headers.get('x-ratelimit-reset') ?? Number.NaN)
  const isSpent = headers.get('x-ratelimit-remaining') === '0'
  return isSpent && Number.isFinite(resetSeconds) ? resetSeconds * 1000 - now : null
}
