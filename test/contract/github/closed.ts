type Schema = { readonly [word: string]: unknown }

/** Where a schema describes a value of its own, not a part of the description of one. */
const valueMaps = ['properties', 'patternProperties'] as const
const branchLists = ['allOf', 'anyOf', 'oneOf'] as const

/** The same schema, but for values with names that it does not know: those are not valid any more. */
export function closed(schema: unknown): unknown {
  if (!isSchema(schema)) return schema
  const isObject = [schema.type].flat().includes('object')
  const isOpen = isObject && schema.properties === undefined && schema.$ref === undefined
  const inside = walked(schema)
  return isOpen ? inside : { ...inside, unevaluatedProperties: false }
}

/** The insides of a schema; what it describes together with others stays open for their names. */
export function walked(schema: Schema): Schema {
  const result: Record<string, unknown> = { ...schema }
  for (const word of valueMaps) {
    const map = schema[word]
    if (isSchema(map)) {
      result[word] = Object.fromEntries(Object.entries(map).map(([name, part]) => [name, closed(part)]))
    }
  }
  for (const word of branchLists) {
    const list = schema[word]
    if (Array.isArray(list)) result[word] = list.map((part) => (isSchema(part) ? walked(part) : part))
  }
  if (isSchema(schema.items)) result.items = closed(schema.items)
  return result
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
