import { HoldfastError } from '../../../domain/errors/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Entropy } from '../../../ports/entropy.ts'
import type { ApiRequest } from './request.ts'
import type { Wire } from './send.ts'

const TRIES_MAX = 5
const PAUSE_MS = 200
const PAUSE_MAX_MS = 5_000
/** A server that wants longer is told to the caller, who has better to do than to wait. */
const RETRY_AFTER_MAX_MS = 15_000
/** After so long, the next try would be about another day. */
const TRYING_MAX_MS = 60_000

export interface PatientDeps {
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  readonly entropy: Pick<Entropy, 'fraction'>
}

/**
 * Tries again what may be tried again: whatever was throttled, since it had no effect; and what got no answer where
 * it was not sent, only reads, or does the same when it is done twice. Streams are their reader's to open again.
 */
export function patient(wire: Wire, { clock, entropy }: PatientDeps): Wire {
  return {
    stream: wire.stream,
    async send(request, signal) {
      const since = clock.now()
      for (let tries = 1; ; tries += 1) {
        try {
          return await wire.send(request, signal)
        } catch (error) {
          const mayTry = tries < TRIES_MAX && clock.now() - since < TRYING_MAX_MS
          const pauseMs = mayTry ? pauseAfter(error, request, tries) : null
          if (pauseMs === null || signal.aborted) throw error
          await clock.sleep(pauseMs + pauseMs * entropy.fraction(), signal)
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
  if (wished > RETRY_AFTER_MAX_MS) return null
  const ownMs = Math.min(PAUSE_MAX_MS, PAUSE_MS * 2 ** (tries - 1))
  if (error.code === 'E_CLUSTER_THROTTLED') return Math.max(wished, ownMs)
  const mayRepeat = request.method === 'GET' || request.isRepeatable || error.params.outcomeUnknown === false
  return error.code === 'E_CLUSTER_UNREACHABLE' && mayRepeat ? Math.max(wished, ownMs) : null
}
