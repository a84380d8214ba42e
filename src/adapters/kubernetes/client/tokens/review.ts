import { isRecord } from '../../../../domain/is-record.ts'
import type { ApiRequest } from '../transport/request.ts'
import { notAnApi, type Transport } from '../transport/send.ts'

const path = '/apis/authentication.k8s.io/v1/tokenreviews'
/** The caller is a poller that asks again by itself: an early failure serves it better than a late answer. */
const defaultTimeoutMs = 10_000

/** The API server's review of a token; only the fields that are read here. */
export interface TokenReview {
  readonly isAuthenticated: boolean
  readonly audiences: readonly string[]
  readonly username: string
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** Asks the API server whose token this is. A token that it does not take is an answer, not an error. */
export type ReviewToken = (token: string, audience: string, signal: AbortSignal) => Promise<TokenReview>

export function createReviewToken(transport: Transport): ReviewToken {
  return async (token, audience, signal) => {
    const request: ApiRequest = {
      method: 'POST',
      path: path,
      timeoutMs: defaultTimeoutMs,
      isRepeatable: true,
      body: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token, audiences: [audience] },
      },
    }
    const status = recordOf(recordOf((await transport.send(request, signal)).body)?.status)
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
  return isRecord(value) ? value : null
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}
