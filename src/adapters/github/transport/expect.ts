import type { z } from 'zod'
import { ForgeRefusal, isLimit, refusalOf, refusalText } from '../refusal.ts'
import { type ApiResponse, unavailable } from './call.ts'

/** The body of an answer with this status; throws for any other. */
export function expectBody<T>(answer: ApiResponse, status: number, schema: z.ZodType<T>, name: string): T {
  if (answer.status !== status) throw unexpected(answer, name)
  if (answer.body === undefined) throw unavailable(name, `it answered ${status} with no JSON body`)
  const parsed = schema.safeParse(answer.body)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw unavailable(name, `its answer is not as documented at ${issue?.path.join('.')}: ${issue?.message}`)
}

/** The error for an unexpected answer: a `ForgeRefusal` where the answer is a refusal. */
export function unexpected(answer: ApiResponse, name: string): Error {
  const limit = isLimit(answer) ? ' (rate limit)' : ''
  const why = `it answered ${refusalText(answer)}${limit}`
  const refusal = refusalOf(answer)
  return refusal === null ? unavailable(name, why) : new ForgeRefusal(name, refusal, why, answer.status)
}
