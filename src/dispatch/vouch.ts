import { HoldfastError } from '../domain/errors/index.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Log } from '../ports/log.ts'
import { vouchEveryMs, vouchedAtOnceMax } from './settings.ts'

/** Tells the ledger who waits here, all of a second in one statement. */
export interface Vouching {
  /** It has begun to wait. */
  add(runnerId: number): void
  close(): void
}

/**
 * Where the ledger does not have one as polling any more (it was fenced or has ended, and nobody heard of it; or it was
 * given a job on another way) it is doubted. A ledger that does not answer is told again, as after any failure.
 */
export function createVouching(
  ledger: Pick<Ledger, 'waiting'>,
  clock: Clock,
  log: Log,
  { isWaiting, doubt }: { isWaiting: (runnerId: number) => boolean; doubt: (runnerId: number) => void },
): Vouching {
  let due = new Set<number>()
  let cancel: (() => void) | null = null
  let isClosed = false

  function later(): void {
    if (isClosed || due.size === 0) return
    cancel ??= clock.after(vouchEveryMs, () => {
      void vouch().finally(() => {
        cancel = null
        later()
      })
    })
  }

  async function vouch(): Promise<void> {
    const ids = [...due].filter(isWaiting)
    due = new Set()
    for (let from = 0; from < ids.length; from += vouchedAtOnceMax) {
      const some = ids.slice(from, from + vouchedAtOnceMax)
      const polling = await ledger.waiting(some).catch((error: unknown) => told(error))
      for (const id of some) {
        if (polling === null) due.add(id)
        else if (!polling.has(id)) doubt(id)
      }
    }
  }

  /** That the ledger does not answer is told by all who ask it for something; anything else only from here. */
  function told(error: unknown): null {
    const isSilence = error instanceof HoldfastError && error.entry.retryable
    if (!isSilence) log.error({ err: error }, 'the ledger cannot be told who waits for a job; tried again')
    return null
  }

  return {
    add(runnerId) {
      due.add(runnerId)
      later()
    },
    close() {
      isClosed = true
      cancel?.()
    },
  }
}
