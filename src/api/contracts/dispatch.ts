import { z } from 'zod'
import { runnerNameLengthMax } from '../../domain/attempt/index.ts'

const runnerName = z.string().min(1).max(runnerNameLengthMax)

/** `POST /v1/dispatch`: a runner asks for a job; its secret is the bearer token. */
export const pollRequestSchema = z.strictObject({ runner: runnerName })
export type PollRequest = z.output<typeof pollRequestSchema>

/** 200. 204 means nothing for now, 410 that the runner must end. */
export const pollAnswerSchema = z.object({
  /** Names the attempt in the acknowledgement. */
  attempt: z.string(),
  /** The forge's single-use configuration: a secret. */
  jit: z.string(),
  job: z.object({ id: z.int(), url: z.string() }),
})
export type DispatchAnswer = z.output<typeof pollAnswerSchema>

/** `POST /v1/dispatch/ack`: the runner has its configuration. 410 means that it must not use it. */
export const ackRequestSchema = z.strictObject({ runner: runnerName, attempt: z.uuid() })
export type AckRequest = z.output<typeof ackRequestSchema>

export const ackAnswerSchema = z.object({ acknowledged: z.literal(true) })
export type AckAnswer = z.output<typeof ackAnswerSchema>

/** `POST /webhooks/forge`: 202, whether it is new or was there before. */
export const webhookAnswerSchema = z.object({ kind: z.enum(['stored', 'duplicate']), guid: z.string() })
export type WebhookAnswer = z.output<typeof webhookAnswerSchema>
