import { z } from 'zod'
import { seededEntropy } from '../core/seeded-entropy.ts'

const DELAY_MS_MAX = 10 * 60_000
const share = z.number().min(0).max(1).default(0)

/** Faults by chance: which share of messages and calls goes wrong, and how. The same seed repeats itself. */
export const scheduleSchema = z.strictObject({
  seed: z.int().min(0),
  webhooks: z
    .strictObject({ drop: share, repeat: share, delay: share, delayMsMax: z.int().min(1).max(DELAY_MS_MAX) })
    .partial()
    .default({}),
  rest: z
    .strictObject({ fail: share, hang: share, reset: share, empty: share, lostAnswer: share })
    .partial()
    .default({}),
})
export type ScheduleOrder = z.infer<typeof scheduleSchema>

/** What becomes of one message. */
export type WebhookFault =
  | { readonly kind: 'none' | 'drop' | 'repeat' }
  /** It comes late, and others overtake it. */
  | { readonly kind: 'delay'; readonly delayMs: number }

export type RestChance = 'none' | 'fail' | 'hang' | 'reset' | 'empty' | 'lostAnswer'

export interface FaultSchedule {
  webhook(): WebhookFault
  rest(): RestChance
}

const DELAY_MS_DEFAULT = 1_000

/** Draws for each message and call by its seed, messages and calls apart, so that neither disturbs the other. */
export function createFaultSchedule({ seed, webhooks, rest }: ScheduleOrder): FaultSchedule {
  const forWebhooks = seededEntropy(seed)
  const forRest = seededEntropy(seed + 1)
  return {
    webhook() {
      const { drop = 0, repeat = 0, delay = 0, delayMsMax = DELAY_MS_DEFAULT } = webhooks
      const kind = drawn(forWebhooks.fraction(), { drop, repeat, delay })
      const delayMs = Math.ceil(forWebhooks.fraction() * delayMsMax)
      return kind === 'delay' ? { kind, delayMs } : { kind }
    },
    rest() {
      const { fail = 0, hang = 0, reset = 0, empty = 0, lostAnswer = 0 } = rest
      return drawn(forRest.fraction(), { fail, hang, reset, empty, lostAnswer })
    },
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
