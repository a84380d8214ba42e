import { z } from 'zod'
import { seededEntropy } from '../core/seeded-entropy.ts'

const delayBoundMs = 10 * 60_000
/** Farther behind than this, no replica is. */
export const lagBoundMs = 60_000
const share = z.number().min(0).max(1).default(0)

/** Faults by chance: which share of messages and calls goes wrong, and how. The same seed repeats itself. */
export const scheduleSchema = z.strictObject({
  seed: z.int().min(0),
  webhooks: z
    .strictObject({ drop: share, repeat: share, delay: share, delayMsMax: z.int().min(1).max(delayBoundMs) })
    .partial()
    .default({}),
  rest: z
    .strictObject({
      fail: share,
      hang: share,
      reset: share,
      empty: share,
      lostAnswer: share,
      hungAnswer: share,
    })
    .partial()
    .default({}),
  /** Which share of reads is behind the truth, and by how much at most. */
  reads: z
    .strictObject({ lag: share, lagMsMax: z.int().min(1).max(lagBoundMs) })
    .partial()
    .default({}),
})
export type ScheduleOrder = z.infer<typeof scheduleSchema>

/** The fate of one message. */
export type WebhookFault =
  | { readonly kind: 'none' | 'drop' | 'repeat' }
  /** It comes late, and others overtake it. */
  | { readonly kind: 'delay'; readonly delayMs: number }

/** `lostAnswer`, `hungAnswer`: the call takes effect; its answer is cut off, or never comes. */
export type RestChance = 'none' | 'fail' | 'hang' | 'reset' | 'empty' | 'lostAnswer' | 'hungAnswer'

export interface FaultSchedule {
  webhook(): WebhookFault
  rest(): RestChance
  /** How far behind the next read is. */
  lagMs(): number
  readonly lagMsMax: number
}

const delayMsDefault = 1_000
const lagMsDefault = 1_000

/** Draws for each message and call by its seed, messages and calls and reads apart, so that none disturbs another. */
export function createFaultSchedule({ seed, webhooks, rest, reads }: ScheduleOrder): FaultSchedule {
  const forWebhooks = seededEntropy(seed)
  const forRest = seededEntropy(seed + 1)
  const forReads = seededEntropy(seed + 2)
  const { lag = 0, lagMsMax = lagMsDefault } = reads
  return {
    webhook() {
      const { drop = 0, repeat = 0, delay = 0, delayMsMax = delayMsDefault } = webhooks
      const kind = drawn(forWebhooks.fraction(), { drop, repeat, delay })
      const delayMs = Math.ceil(forWebhooks.fraction() * delayMsMax)
      return kind === 'delay' ? { kind, delayMs } : { kind }
    },
    rest() {
      const { fail = 0, hang = 0, reset = 0, empty = 0, lostAnswer = 0, hungAnswer = 0 } = rest
      return drawn(forRest.fraction(), { fail, hang, reset, empty, lostAnswer, hungAnswer })
    },
    lagMs() {
      const isBehind = forReads.fraction() < lag
      const lagMs = Math.ceil(forReads.fraction() * lagMsMax)
      return isBehind ? lagMs : 0
    },
    lagMsMax: lag > 0 ? lagMsMax : 0,
  }
}

function drawn<T extends string>(fraction: number, shares: Readonly<Record<T, number>>): T | 'none' {
  let upTo = 0
  for (const [kind, part] of Object.entries(shares) as [T, number][]) {
    upTo += part
    if (fraction < upTo) return kind
  }
  return 'none'
}
