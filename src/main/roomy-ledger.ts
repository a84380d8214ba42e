import type { RoomBoard } from '../controllers/ledger/disk/index.ts'
import { isError } from '../domain/errors/index.ts'
import type { Clock } from '../ports/clock.ts'

/** A server whose disk is full refuses something every few seconds: who did not for so long has room again. */
const refusedForMs = 15_000

/**
 * A ledger whose errors say so where a full disk is behind them: a server that ended for want of room only "does not answer".
 * What another machine's server says of its own disk counts as well, for as long as it says it.
 */
export function roomyLedger<T extends object>(ledger: T, room: RoomBoard, clock: Pick<Clock, 'now'>): T {
  async function told(error: unknown): Promise<never> {
    if (isError(error, 'E_LEDGER_DISK_FULL')) room.noteRefused(error.message, clock.now() + refusedForMs)
    if (isError(error, 'E_LEDGER_UNAVAILABLE')) room.check()
    throw error
  }
  const wrapped = Object.entries(ledger).map(([name, method]) => [
    name,
    typeof method === 'function' ? (...args: unknown[]) => telling(method.apply(ledger, args), told) : method,
  ])
  return { ...ledger, ...Object.fromEntries(wrapped) }
}

function telling(answer: unknown, told: (error: unknown) => Promise<never>): unknown {
  return answer instanceof Promise ? answer.catch(told) : answer
}
