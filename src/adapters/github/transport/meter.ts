import { readPoints, writePoints } from '../../../domain/queue/index.ts'
import type { Admission, Budget, BudgetReading, Purpose } from '../../../ports/budget.ts'
import { ForgeRefusal, isLimit, messageOf, retryAfterMs } from '../refusal.ts'
import { type ApiResponse, unavailable } from './call.ts'

/** The account of calls that the App makes as itself; GitHub counts them separately. */
export const appAccount = 'app'

/** One budget for all calls, or one for each account with a rate limit of its own: a token, an installation, the App. */
export type BudgetChoice = Budget | ((account: string) => Budget)

/** Asks the budget before each call, and reports to it the remaining calls of each answer. */
export interface Meter {
  /** Waits for the call's turn; throws where nothing may be sent now. The caller calls the result when the call is over. */
  admit(account: string, purpose: Purpose, name: string, signal: AbortSignal): Promise<() => void>
  read(account: string, answer: ApiResponse): void
}

/** Without a budget everything goes. */
export function createMeter(choice: BudgetChoice | undefined): Meter {
  const budgetOf = (account: string) => (typeof choice === 'function' ? choice(account) : choice)
  // The App's own rate limit says nothing about that of its installations.
  const isCounted = (account: string) => typeof choice === 'function' || account !== appAccount
  return {
    async admit(account, purpose, name, signal) {
      const budget = budgetOf(account)
      const turn = await inTime(turnOf(budget, purpose, name, signal), name, signal)
      if (turn?.kind === 'wait') throw putOff(name, turn)
      const place = await inTime(budget?.place?.(purpose, signal), name, signal)
      if (place?.kind === 'wait') throw putOff(name, place)
      const admission = budget?.admit(purpose)
      if (admission?.kind !== 'wait') return () => place?.leave()
      place?.leave()
      throw putOff(name, admission)
    },
    read(account, answer) {
      const budget = budgetOf(account)
      const reading = readingOf(answer.headers)
      if (reading !== null && isCounted(account)) budget?.note(reading)
      if (isLimit(answer) && reading?.remaining !== 0) {
        budget?.pause(retryAfterMs(answer) ?? 0, messageOf(answer))
      }
    },
  }
}

/** Reads are cheap, writes are not. */
function turnOf(
  budget: Budget | undefined,
  purpose: Purpose,
  name: string,
  signal: AbortSignal,
): Promise<Admission> | undefined {
  const points = name.startsWith('GET ') ? readPoints : writePoints
  return budget?.enter?.(points, purpose, signal)
}

async function inTime<T>(
  waited: Promise<T> | undefined,
  name: string,
  signal: AbortSignal,
): Promise<T | undefined> {
  try {
    return await waited
  } catch (error) {
    if (!signal.aborted) throw error
    throw unavailable(name, 'it was given up while it waited for its turn', error)
  }
}

function putOff(
  name: string,
  { forMs, why }: { readonly forMs: number; readonly why: string },
): ForgeRefusal {
  const refusal = { concerns: 'account', reason: why, retryAfterMs: forMs, incident: null } as const
  return new ForgeRefusal(name, { kind: 'refused', ...refusal })
}

function readingOf(headers: Headers): BudgetReading | null {
  const [limit, remaining, resetSeconds] = ['limit', 'remaining', 'reset'].map((name) => {
    const text = headers.get(`x-ratelimit-${name}`) ?? ''
    return /^\d{1,15}$/.test(text) ? Number(text) : null
  })
  if (limit == null || limit === 0 || remaining == null || resetSeconds == null) return null
  if ((headers.get('x-ratelimit-resource') ?? 'core') !== 'core') return null
  return { limit, remaining, resetAt: resetSeconds * 1000 }
}
