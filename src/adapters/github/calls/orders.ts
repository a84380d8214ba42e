import type { OrderAnswer } from '../../../ports/forge.ts'
import { isLimit, reasonOf } from '../refusal.ts'
import type { Call } from '../transport/call.ts'
import { unexpected } from '../transport/expect.ts'

/** An order about a run or a job: GitHub takes it, or says why not. */
export async function order(call: Call, path: string, signal: AbortSignal): Promise<OrderAnswer> {
  const answer = await call('POST', path, signal)
  const { status } = answer
  if (status === 201 || status === 202) return { kind: 'done' }
  const isRefused = status >= 400 && status !== 401 && !isLimit(answer)
  if (isRefused) return { kind: 'refused', reason: reasonOf(answer) }
  throw unexpected(answer, `POST ${path}`)
}
