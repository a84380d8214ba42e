import type { OrderAnswer } from '../../../ports/forge.ts'
import { isLimit, refusalText } from '../refusal.ts'
import type { Call } from '../transport/call.ts'
import { unexpected } from '../transport/expect.ts'

/** Sends an order about a run or a job: GitHub accepts it, or refuses with a reason. */
export async function order(call: Call, path: string, signal: AbortSignal): Promise<OrderAnswer> {
  const answer = await call('POST', path, signal)
  const { status } = answer
  if (status === 201 || status === 202) return { kind: 'done' }
  const isRefused = status >= 400 && status !== 401 && !isLimit(answer)
  if (isRefused) return { kind: 'refused', reason: refusalText(answer) }
  throw unexpected(answer, `POST ${path}`)
}
