import { z } from 'zod'
import { bare } from './schema-walk.ts'

interface JsonSchema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
}

/** The values that a schema takes, in words that fit after "expected". */
export function typeText(schema: z.ZodType): string {
  const inner = bare(schema)
  if (inner instanceof z.ZodArray)
    return `a list${lengthText(inner)} of ${plural(typeText(inner.element as z.ZodType))}`
  if (inner instanceof z.ZodRecord)
    return `a map from names to ${plural(typeText(inner.valueType as z.ZodType))}`
  if (inner instanceof z.ZodObject) return `a map with ${Object.keys(inner.shape).join(', ')}`
  const json = z.toJSONSchema(inner, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  if (json.enum !== undefined) return `one of ${json.enum.join(', ')}`
  if (json.type === 'integer' || json.type === 'number') return numberText(json)
  return json.type === 'boolean' ? 'true or false' : 'a text'
}

function lengthText(list: z.ZodArray): string {
  const { minItems = 0, maxItems } = z.toJSONSchema(list, {
    io: 'input',
    unrepresentable: 'any',
  }) as JsonSchema
  if (maxItems !== undefined) return ` (${minItems} to ${maxItems})`
  return minItems > 0 ? ` (at least ${minItems})` : ''
}

function numberText(json: JsonSchema): string {
  const noun = json.type === 'integer' ? 'an integer' : 'a number'
  if (json.exclusiveMinimum !== undefined) return `${noun} above ${json.exclusiveMinimum}`
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = json
  if (maximum !== Number.MAX_SAFE_INTEGER) return `${noun} from ${minimum} to ${maximum}`
  return minimum === Number.MIN_SAFE_INTEGER ? noun : `${noun} of at least ${minimum}`
}

function plural(noun: string): string {
  const [article, word, ...rest] = noun.split(' ')
  if (article !== 'a' && article !== 'an') return noun
  return [`${word}s`, ...rest].join(' ')
}
