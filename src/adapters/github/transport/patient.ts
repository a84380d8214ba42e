import { type BackOff, backOffMs } from '../../../domain/back-off/index.ts'
import { HoldfastError } from '../../../domain/errors/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import { ForgeRefusal } from '../refusal.ts'
import type { Send } from './send.ts'

const defaultTriesMax = 3
const retryBackOff: BackOff = { baseMs: 250, capMs: 500 }

/**
 * Retries a read of a resync that got no answer. A resync reads hundreds of pages and is complete or useless: with a
 * forge that fails one call in thirty, it would otherwise never complete.
 */
export function patient(send: Send, clock: Pick<Clock, 'sleep'>): Send {
  return async (sending, signal) => {
    const triesMax = sending.method === 'GET' && sending.purpose === 'resync' ? defaultTriesMax : 1
    for (let tries = 1; ; tries += 1) {
      try {
        const answer = await send(sending, signal)
        const isEmpty = answer.status === 200 && answer.body === undefined
        if (!isEmpty || tries >= triesMax) return answer
      } catch (error) {
        if (tries >= triesMax || signal.aborted || !isSilence(error)) throw error
      }
      await clock.sleep(backOffMs(retryBackOff, tries), signal)
    }
  }
}

/** Whether an error means no usable answer; a refusal is an answer. */
function isSilence(error: unknown): boolean {
  return (
    error instanceof HoldfastError && error.code === 'E_FORGE_UNAVAILABLE' && !(error instanceof ForgeRefusal)
  )
}
