import { HoldfastError } from '../../../domain/errors/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import { ForgeRefusal } from '../refusal.ts'
import type { Send } from './send.ts'

const TRIES_MAX = 3
const PAUSE_MS = 250

/**
 * Asks again where a sweep's question found no answer. A sweep reads hundreds of pages and is whole or worth nothing:
 * of a forge that fails one call in thirty, it would otherwise never come to its end.
 */
export function patient(send: Send, clock: Pick<Clock, 'sleep'>): Send {
  return async (sending, signal) => {
    const triesMax = sending.method === 'GET' && sending.purpose === 'sweep' ? TRIES_MAX : 1
    for (let tries = 1; ; tries += 1) {
      try {
        const answer = await send(sending, signal)
        const isEmpty = answer.status === 200 && answer.body === undefined
        if (!isEmpty || tries >= triesMax) return answer
      } catch (error) {
        if (tries >= triesMax || signal.aborted || !isSilence(error)) throw error
      }
      await clock.sleep(PAUSE_MS * tries, signal)
    }
  }
}

/** No answer, or none to build on; a refusal is an answer. */
function isSilence(error: unknown): boolean {
  return (
    error instanceof HoldfastError && error.code === 'E_FORGE_UNAVAILABLE' && !(error instanceof ForgeRefusal)
  )
}
