import { z } from 'zod'
import { runnerNameLengthMax } from '../../domain/attempt/index.ts'

/** Nothing else is ever given as a name; text of any kind would reach the ledger. */
const runnerName = z
  .string()
  .max(runnerNameLengthMax)
  .regex(/^[\x21-\x7e]+$/, 'expected a name of printable characters without spaces')

/** `POST /v1/dispatch`: a runner asks for a job; its secret is the bearer token. */
export const pollRequestSchema = z.strictObject({ runner: runnerName })

/**
 * 200. 204 means nothing for now, 410 that the runner must end. Pollers in pods read it by patterns: exactly these
 * fields, in this order.
 */
const pollAnswerSchema = z.object({
  /** Names the attempt in the acknowledgement. */
  attempt: z.string(),
  /** The forge's single-use configuration: a secret. */
  jit: z.string(),
  job: z.object({ id: z.int(), url: z.string() }),
})
export type DispatchAnswer = z.output<typeof pollAnswerSchema>

/** `POST /v1/dispatch/ack`: the runner has its configuration. 410 means that it must not use it. */
export const ackRequestSchema = z.strictObject({ runner: runnerName, attempt: z.uuid() })

const ackAnswerSchema = z.object({ acknowledged: z.literal(true) })
export type AckAnswer = z.output<typeof ackAnswerSchema>

/** `POST /webhooks/forge`: 202, whether it is new or was there before; 200 where the forge only asked for us. */
const webhookAnswerSchema = z.union([
  z.object({ kind: z.enum(['stored', 'duplicate']), guid: z.string() }),
  z.object({ kind: z.literal('pong') }),
])
export type WebhookAnswer = z.output<typeof webhookAnswerSchema>
