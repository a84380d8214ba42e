import { type BackOff, backOffMs, spreadMs } from '../../../../domain/back-off/index.ts'
import { HoldfastError } from '../../../../domain/errors/index.ts'
import type { Clock } from '../../../../ports/clock.ts'
import type { Entropy } from '../../../../ports/entropy.ts'
import type { ApiRequest } from './request.ts'
import type { Transport } from './send.ts'

const defaultTriesMax = 5
const retryBackOff: BackOff = { baseMs: 200, capMs: 5_000 }
/** A longer wish of the server is the caller's to wait for: the error says it. */
const retryAfterMaxMs = 15_000
/** After so long, the next try would be about another day. */
const tryingMaxMs = 60_000

export interface RetryDeps {
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  readonly entropy: Pick<Entropy, 'fraction'>
}

/**
 * Tries again what may be tried again: whatever was throttled, since it had no effect; and what got no answer where
 * it was not sent, only reads, or does the same when it is done twice. Streams are their reader's to open again.
 */
export function withRetries(transport: Transport, { clock, entropy }: RetryDeps): Transport {
  return {
    stream: transport.stream,
    async send(request, signal) {
      const since = clock.now()
      for (let tries = 1; ; tries += 1) {
        try {
          return await transport.send(request, signal)
        } catch (error) {
          const mayTry = tries < defaultTriesMax && clock.now() - since < tryingMaxMs
          const pauseMs = mayTry ? pauseAfter(error, request, tries) : null
          if (pauseMs === null || signal.aborted) throw error
          await clock.sleep(spreadMs(pauseMs, entropy.fraction()), signal)
        }
      }
    },
  }
}

/** Null: it is not tried again. The server's own wish is a minimum: everybody who waits gets the same one. */
function pauseAfter(error: unknown, request: ApiRequest, tries: number): number | null {
  if (!(error instanceof HoldfastError)) return null
  const { retryAfterMs } = error.params
  const wished = typeof retryAfterMs === 'number' ? retryAfterMs : 0
  if (wished > retryAfterMaxMs) return null
  const ownMs = backOffMs(retryBackOff, tries)
  if (error.code === 'E_CLUSTER_THROTTLED') return Math.max(wished, ownMs)
  const mayRepeat = request.method === 'GET' || request.isRepeatable || error.params.outcomeUnknown === false
  return error.code === 'E_CLUSTER_UNREACHABLE' && mayRepeat ? Math.max(wished, ownMs) : null
}
