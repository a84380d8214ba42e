import type { DiskHeadroomBoard } from '../../controllers/ledger/disk/index.ts'
import { isError } from '../../domain/errors/index.ts'
import type { Clock } from '../../ports/clock.ts'

/** A server with a full disk refuses a write every few seconds: one that has refused none for so long has headroom again. */
const refusedForMs = 15_000

/**
 * A ledger whose errors say so where a full disk is behind them: a server that ended for lack of disk space only "does not answer".
 * What another machine's server says of its own disk counts as well, for as long as it says it.
 */
export function diskWatchingLedger<T extends object>(
  ledger: T,
  headroom: DiskHeadroomBoard,
  clock: Pick<Clock, 'now'>,
): T {
  async function noteDiskFull(error: unknown): Promise<never> {
    if (isError(error, 'E_LEDGER_DISK_FULL')) headroom.noteRefused(error.message, clock.now() + refusedForMs)
    if (isError(error, 'E_LEDGER_UNAVAILABLE')) headroom.check()
    throw error
  }
  const wrapped = Object.entries(ledger).map(([name, method]) => [
    name,
    typeof method === 'function'
      ? (...args: unknown[]) => catching(method.apply(ledger, args), noteDiskFull)
      : method,
  ])
  return { ...ledger, ...Object.fromEntries(wrapped) }
}

function catching(answer: unknown, onError: (error: unknown) => Promise<never>): unknown {
  return answer instanceof Promise ? answer.catch(onError) : answer
}
