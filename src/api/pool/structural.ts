import { z } from 'zod'
import { abouts } from '../schema/index.ts'
import { inCluster } from './rule.ts'

export type Json = Readonly<Record<string, unknown>>

/** A schema as the API server takes it: structural, with our rules in its own language. */
export function structuralSchema(schema: z.ZodType): Json {
  const json = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const about = abouts.get(zodSchema)
      if (about !== undefined) jsonSchema.description = about.description
      const ours = inCluster.get(zodSchema)
      if (ours === undefined) return
      if (ours.schema !== undefined) {
        delete jsonSchema.anyOf
        Object.assign(jsonSchema, ours.schema)
      }
      const rules = (ours.rules ?? []).flatMap(({ at, expected, cel }) =>
        cel === undefined
          ? []
          : [
              {
                rule: cel,
                message: `expected ${expected}`,
                ...(at !== undefined && { fieldPath: `.${at}` }),
              },
            ],
      )
      if (rules.length > 0) jsonSchema['x-kubernetes-validations'] = rules
    },
  })
  return plain(json) as Json
}

/** Without what only JSON schema has. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  const { $schema: _, propertyNames: __, ...json } = value as Record<string, unknown>
  // Our own rule says the same with words.
  if (json['x-kubernetes-validations'] !== undefined) delete json.pattern
  if (json.additionalProperties === false || json['x-kubernetes-preserve-unknown-fields'] === true)
    delete json.additionalProperties
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum
  if (typeof json.exclusiveMinimum === 'number') {
    json.minimum = json.exclusiveMinimum
    json.exclusiveMinimum = true
  }
  return Object.fromEntries(
    Object.entries(json).map(([key, inner]) => [key, key === 'default' ? inner : plain(inner)]),
  )
}
