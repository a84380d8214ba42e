import { isRecord } from '../domain/is-record.ts'
import { reasonOf } from '../domain/reason.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import { retryDelayMs } from './back-off.ts'
import { type Answer, post } from './post.ts'

export interface Asking {
  readonly url: string
  readonly runner: string
  readonly secret: string
  readonly pollMs: number
  readonly clock: Clock
  readonly entropy: Entropy
  readonly say: (line: string) => void
  readonly signal: AbortSignal
}

export type Dispatched =
  | { readonly kind: 'job'; readonly attempt: string; readonly jit: string; readonly job: string }
  | Goodbye

export type Goodbye = { readonly kind: 'leave' } | { readonly kind: 'refused'; readonly status: number }

/** Added to the server's long-poll time, so that its own answer comes first. */
const timeoutMarginMs = 15_000
/** The minimum interval of polls to a server that answers "no job" without waiting. */
const emptyAnswerMs = 250

/** Polls for a job until there is one, or until Holdfast asks this runner to leave. */
export function askForJob(asking: Asking): Promise<Dispatched> {
  return insist<Dispatched>(asking, '/v1/dispatch', { runner: asking.runner }, ({ status, text }) => {
    if (status === 204) return 'again'
    return status === 200 ? parseJob(text) : null
  })
}

/** Acknowledges the configuration. A job may run only after that. */
export function acknowledge(asking: Asking, attempt: string): Promise<{ kind: 'acknowledged' } | Goodbye> {
  const body = { runner: asking.runner, attempt }
  return insist<{ kind: 'acknowledged' } | Goodbye>(asking, '/v1/dispatch/ack', body, ({ status }) =>
    status >= 200 && status < 300 ? { kind: 'acknowledged' } : null,
  )
}

/**
 * Repeats an idempotent request until it is answered. `understand` returns null for an invalid answer; then the request
 * is retried, because Holdfast may be restarting.
 */
async function insist<T>(
  asking: Asking,
  path: string,
  body: unknown,
  understand: (answer: Answer) => T | 'again' | null,
): Promise<T | Goodbye> {
  const question = {
    url: `${asking.url}${path}`,
    secret: asking.secret,
    body,
    timeoutMs: asking.pollMs + timeoutMarginMs,
    signal: asking.signal,
  }
  for (let failures = 0; ; ) {
    const askedAt = asking.clock.now()
    const answer = await post(question).catch((error: unknown) => reasonOf(error))
    asking.signal.throwIfAborted()
    const understood = typeof answer === 'string' ? null : (farewell(answer) ?? understand(answer))
    if (understood !== null && understood !== 'again') return understood
    failures = understood === 'again' ? 0 : failures + 1
    const waitMs =
      understood === 'again'
        ? Math.max(0, emptyAnswerMs - (asking.clock.now() - askedAt))
        : retryDelayMs(failures, typeof answer === 'string' ? null : answer.retryAfterMs, asking.entropy)
    if (failures > 0) {
      const what = typeof answer === 'string' ? answer : `not usable, status ${answer.status}`
      asking.say(`${question.url}: ${what}; asking again in ${waitMs} ms`)
    }
    if (waitMs > 0) await asking.clock.sleep(waitMs, asking.signal)
  }
}

function farewell({ status }: Answer): Goodbye | null {
  if (status === 410) return { kind: 'leave' }
  return status === 401 || status === 403 ? { kind: 'refused', status } : null
}

function parseJob(text: string): Dispatched | null {
  try {
    const value: unknown = JSON.parse(text)
    if (!isRecord(value)) return null
    const { attempt, jit, job } = value
    if (typeof attempt !== 'string' || attempt === '' || typeof jit !== 'string' || jit === '') return null
    const id = isRecord(job) && 'id' in job ? String(job.id) : 'unknown'
    return { kind: 'job', attempt, jit, job: id }
  } catch {
    return null
  }
}
