import type { z } from 'zod'
import { ForgeRefusal, isLimit, reasonOf, refusalOf } from '../refusal.ts'
import { type Answer, unavailable } from './call.ts'

/** The body of an answer with this status; anything else is no answer to build on. */
export function expectBody<T>(answer: Answer, status: number, schema: z.ZodType<T>, name: string): T {
  if (answer.status !== status) throw unexpected(answer, name)
  if (answer.body === undefined) throw unavailable(name, `it answered ${status} with no JSON body`)
  const parsed = schema.safeParse(answer.body)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw unavailable(name, `its answer is not as documented at ${issue?.path.join('.')}: ${issue?.message}`)
}

/** An answer that says nothing about what was asked; where it is a refusal, whoever needs it can tell. */
export function unexpected(answer: Answer, name: string): Error {
  const limit = isLimit(answer) ? ' (rate limit)' : ''
  const why = `it answered ${reasonOf(answer)}${limit}`
  const refusal = refusalOf(answer)
  return refusal === null ? unavailable(name, why) : new ForgeRefusal(name, refusal, why, answer.status)
}
