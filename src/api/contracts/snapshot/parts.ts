import { z } from 'zod'
import { isRecord } from '../../../domain/is-record.ts'
import { factSources } from '../../../domain/snapshot/index.ts'

/** The longest text of one field, in characters; longer ones are cut when a snapshot is collected. */
export const textCharsMax = 16 * 1024
/** Items of one kind: five times a fleet of 10,000 pods with their events. */
export const itemsMax = 100_000
/** Items of a list within one object: a log's lines are the longest by far. */
export const partsMax = 10_000

export const text = z.string().max(textCharsMax)
export const textOrNull = text.nullable()
export const number = z.number()
export const numberOrNull = number.nullable()
export const instant = z.number()
export const instantOrNull = instant.nullable()
export const flag = z.boolean()

/**
 * A list that is checked item by item and given up at the first mistake: a hostile file with millions of wrong items
 * costs one report, where an array of zod collects them all.
 */
export function listOf<Schema extends z.ZodType>(schema: Schema, countMax = partsMax) {
  return z
    .array(z.unknown())
    .max(countMax)
    .transform((items, context): z.output<Schema>[] => {
      const parsed: z.output<Schema>[] = []
      for (const [index, item] of items.entries()) {
        const result = schema.safeParse(item)
        if (!result.success) return refuse(context, index, result.error)
        parsed.push(result.data)
      }
      return parsed
    })
}

/** Values by names, checked like `listOf`. */
function recordOf<Schema extends z.ZodType>(schema: Schema) {
  return z
    .custom<Record<string, unknown>>(isRecord, 'expected names with values')
    .transform((fields, context): Record<string, z.output<Schema>> => {
      const entries = Object.entries(fields)
      if (entries.length > partsMax) {
        context.issues.push({ code: 'custom', message: `more than ${partsMax} names`, input: '' })
        return z.NEVER
      }
      const parsed: [string, z.output<Schema>][] = []
      for (const [name, value] of entries) {
        const key = text.safeParse(name)
        if (!key.success) return refuse(context, 'name', key.error)
        const result = schema.safeParse(value)
        if (!result.success) return refuse(context, name, result.error)
        parsed.push([name, result.data])
      }
      return Object.fromEntries(parsed) // defines own properties, also one named __proto__
    })
}

export const texts = listOf(text)
export const textByName = recordOf(text)
export const amounts = recordOf(number)

const unread = z.object({ what: text, why: text, needs: textOrNull })

export function listing<Schema extends z.ZodType>(item: Schema) {
  return z.object({
    source: z.enum(factSources),
    at: instant,
    items: listOf(item, itemsMax),
    unread: listOf(unread),
  })
}

export const objectRef = z.object({ namespace: text, name: text })

export const objectFact = objectRef.extend({
  uid: text,
  resourceVersion: text,
  createdAt: instantOrNull,
  deletedAt: instantOrNull,
  finalizers: texts,
})

export const condition = z.object({
  type: text,
  status: text,
  reason: textOrNull,
  message: textOrNull,
  at: instantOrNull,
})

type RefineContext = Parameters<Parameters<z.ZodUnknown['transform']>[0]>[1]

/** Hands on the first mistake with its whole path. */
function refuse(context: RefineContext, at: string | number, { issues: [first] }: z.ZodError): never {
  context.issues.push({
    code: 'custom',
    message: first?.message ?? 'wrong',
    path: [at, ...(first?.path ?? [])],
    input: '', // the value is looked up by the path, and shown redacted
  })
  return z.NEVER
}
