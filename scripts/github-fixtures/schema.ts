export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

/** The words of JSON Schema that decide whether a value is valid; prose and examples are left out. */
const kept = new Set([
  ...['type', 'enum', 'const', 'format', 'pattern', 'required', 'default'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'uniqueItems', 'minimum', 'maximum'],
  ...['minProperties', 'maxProperties'],
])
const formats = new Set(['date-time', 'date', 'uri', 'uri-template', 'email', 'uuid'])
const nullType: Json = { type: 'null' }

/** An OpenAPI 3.0 or 3.1 schema as plain JSON Schema whose references point to `#/schemas/`. */
export function toJsonSchema(schema: Json, mention: (name: string) => void): Json {
  if (!isObject(schema)) return schema
  const plain = withoutNullable(schema, mention)
  return schema.nullable === true ? orNull(plain) : plain
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function withoutNullable(schema: JsonObject, mention: (name: string) => void): JsonObject {
  const convert = (part: Json): Json => toJsonSchema(part, mention)
  const result: Record<string, Json> = {}
  for (const [word, value] of Object.entries(schema)) {
    if (word === '$ref') result.$ref = reference(value, mention)
    else if (word === 'format' && !formats.has(String(value))) continue
    else if (kept.has(word)) result[word] = value
    else if (word === 'properties' || word === 'patternProperties') result[word] = eachValue(value, convert)
    else if (word === 'items' || word === 'additionalProperties' || word === 'not') {
      result[word] = convert(value)
    } else if (/^(all|any|one)Of$/.test(word)) result[word] = (value as readonly Json[]).map(convert)
  }
  return result
}

function reference(value: Json, mention: (name: string) => void): string {
  const name = /^#\/components\/schemas\/([^/]+)$/.exec(String(value))?.[1]
  if (name === undefined) throw new Error(`expected a reference to a schema, got ${String(value)}`)
  mention(name)
  return `#/schemas/${name}`
}

function eachValue(value: Json, convert: (part: Json) => Json): JsonObject {
  if (!isObject(value)) throw new Error('expected an object of schemas')
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, convert(part)]))
}

/** OpenAPI 3.0's `nullable`, which JSON Schema does not know. */
function orNull(schema: JsonObject): JsonObject {
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: [...schema.anyOf, nullType] }
  if (typeof schema.type !== 'string') return { anyOf: [schema, nullType] }
  const choices = schema.enum as readonly Json[] | undefined
  return {
    ...schema,
    type: [schema.type, 'null'],
    ...(choices !== undefined && { enum: [...new Set([...choices, null])] }),
  }
}
