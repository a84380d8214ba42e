import { readPoints, writePoints } from '../../../domain/queue/index.ts'
import type { Admission, Budget, BudgetReading, Purpose } from '../../../ports/budget.ts'
import { ForgeRefusal, isLimit, messageOf, retryAfterMs } from '../refusal.ts'
import { type Answer, unavailable } from './call.ts'

/** The account of calls that the App makes as itself; GitHub counts them apart. */
export const APP_ACCOUNT = 'app'

/** One for all calls, or one for each account that GitHub counts apart: a token, each installation, the App itself. */
export type BudgetChoice = Budget | ((account: string) => Budget)

/** Asks before each call whether the budget allows it, and tells it what each answer said is left. */
export interface Meter {
  /** Waits for the call's turn; throws where nothing may be sent now. What it gives is called when the call is over. */
  admit(account: string, purpose: Purpose, name: string, signal: AbortSignal): Promise<() => void>
  read(account: string, answer: Answer): void
}

/** Without a budget everything goes. */
export function createMeter(choice: BudgetChoice | undefined): Meter {
  const budgetOf = (account: string) => (typeof choice === 'function' ? choice(account) : choice)
  // What is left to the App itself says nothing about what is left to its installations.
  const isCounted = (account: string) => typeof choice === 'function' || account !== APP_ACCOUNT
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

/** Reads are cheap, and whatever changes something is not. */
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
