import { z } from 'zod'
import { type ApplyRecord, applyRecordVersion, applyStates } from '../../domain/remedy/managed-apply/index.ts'

const count = z.int().min(0)
const caps = z.strictObject({ minRunners: count.nullable(), maxRunners: count.nullable() })

const commandEnd = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('exited'), code: z.int() }),
  z.strictObject({ kind: z.literal('signalled'), signal: z.string() }),
  z.strictObject({ kind: z.literal('timed-out'), afterMs: z.number() }),
  z.strictObject({ kind: z.literal('interrupted') }),
  z.strictObject({ kind: z.literal('not-started'), reason: z.string() }),
  z.strictObject({ kind: z.literal('reported') }),
])

const set = z.strictObject({
  namespace: z.string(),
  name: z.string(),
  uid: z.string().min(1),
  forgeScope: z.string(),
  recorded: caps,
  freeze: z.enum(['none', 'begun', 'frozen']),
  restored: caps.nullable(),
  busy: z.array(z.string()),
})

export const applyRecordSchema: z.ZodType<ApplyRecord> = z.strictObject({
  version: z.literal(applyRecordVersion),
  id: z.string().min(1),
  site: z.string(),
  program: z.string(),
  beganAt: z.number(),
  changedAt: z.number(),
  state: z.enum(applyStates),
  outcome: z.string(),
  limits: z.strictObject({ commandMaxMs: z.number(), settleMaxMs: z.number(), minAgeMs: z.number() }),
  isZeroWanted: z.boolean(),
  command: z.strictObject({
    summary: z.string(),
    process: z.strictObject({ pid: z.int(), startedAt: z.string(), bootId: z.string() }).nullable(),
    end: commandEnd.nullable(),
  }),
  sets: z.array(set),
})
