import type { ApiRequest } from '../transport/request.ts'
import { notAnApi, type Wire } from '../transport/send.ts'

const PATH = '/apis/authentication.k8s.io/v1/tokenreviews'
/** Who waits is a poller that asks again by itself: better an answer that there is none now. */
const TIMEOUT_MS = 10_000

/** What the API server says of a token; only what is read here. */
export interface TokenReview {
  readonly isAuthenticated: boolean
  readonly audiences: readonly string[]
  readonly username: string
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** Asks the API server whose token this is. A token that it does not take is an answer, not an error. */
export type ReviewToken = (token: string, audience: string, signal: AbortSignal) => Promise<TokenReview>

export function createReviewToken(wire: Wire): ReviewToken {
  return async (token, audience, signal) => {
    const request: ApiRequest = {
      ...{ method: 'POST', path: PATH, timeoutMs: TIMEOUT_MS, isRepeatable: true },
      body: {
        ...{ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' },
        spec: { token, audiences: [audience] },
      },
    }
    const status = recordOf(recordOf((await wire.send(request, signal)).body)?.status)
    if (status === null) throw notAnApi(request, 'expected a review with its status')
    const user = recordOf(status.user) ?? {}
    return {
      isAuthenticated: status.authenticated === true,
      audiences: textsOf(status.audiences),
      username: typeof user.username === 'string' ? user.username : '',
      extra: Object.fromEntries(
        Object.entries(recordOf(user.extra) ?? {}).map(([key, value]) => [key, textsOf(value)]),
      ),
    }
  }
}

function recordOf(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}
