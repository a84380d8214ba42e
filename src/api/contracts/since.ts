import { z } from 'zod'

const unitsMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const
/** As long as history is kept unless said otherwise. */
const sinceMaxMs = 90 * unitsMs.d

/** `90m`, `24h`, `7d`: how far back. A duration, so that nobody's clock but the ledger's counts. */
export const sinceSchema = z
  .string()
  .regex(/^\d{1,5}[mhd]$/, 'expected minutes, hours or days, such as 90m, 24h or 7d')
  .transform((text) => Number(text.slice(0, -1)) * unitsMs[text.slice(-1) as keyof typeof unitsMs])
  .refine((ms) => ms >= unitsMs.m && ms <= sinceMaxMs, 'expected from 1m to 90d')
