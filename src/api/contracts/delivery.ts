import { z } from 'zod'
import { deliveryStates } from '../../ports/ledger.ts'
import { isoTime } from './time.ts'

/** A webhook that was kept, and what became of it; never its body. */
const deliverySchema = z.object({
  guid: z.string(),
  installation: z.string(),
  event: z.string(),
  /** The subject of the delivery, such as one job. */
  subject: z.string().nullable(),
  receivedAt: isoTime,
  tries: z.int(),
  state: z.enum(deliveryStates),
  note: z.string().nullable(),
  settledAt: isoTime.nullable(),
})
export type ApiDelivery = z.output<typeof deliverySchema>

export const deliveryListSchema = z.object({ at: isoTime, deliveries: z.array(deliverySchema) })
export type DeliveryList = z.output<typeof deliveryListSchema>

export const deliveriesLimitMax = 500
const deliveriesLimit = 50
/** The states that may need an operator; listed by default. */
export const deliveryStatesShown = ['poison', 'pending'] as const

/** `?state=poison,pending&limit=20` */
export const deliveryQuerySchema = z.strictObject({
  state: z
    .string()
    .default(deliveryStatesShown.join(','))
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(deliveryStates)).min(1)),
  limit: z.coerce.number().int().min(1).max(deliveriesLimitMax).default(deliveriesLimit),
})

/** As a path names a delivery. */
export const guidSchema = z.string().regex(/^[\w.:-]{1,100}$/, 'expected the GUID of a delivery')

export const replayAnswerSchema = z.object({ replayed: z.literal(true), guid: z.string() })
export type ReplayAnswer = z.output<typeof replayAnswerSchema>
