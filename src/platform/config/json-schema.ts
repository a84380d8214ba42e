import { z } from 'zod'
import { type About, abouts } from '../../api/schema/index.ts'
import { isRecord } from '../../domain/is-record.ts'
import { configSchema } from './schema.ts'

type JsonSchema = z.core.JSONSchema.BaseSchema

/** In place of the secret itself: where it stands. */
const reference: JsonSchema = { type: 'string', pattern: '^file:/' }

/**
 * The file of settings as a JSON Schema, for editors and other checkers. What depends on several settings together it cannot
 * say: `holdfast config validate` does.
 */
export function configJsonSchema(): JsonSchema {
  const schema = z.toJSONSchema(configSchema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) =>
      describe(abouts.get(zodSchema as unknown as z.ZodType), jsonSchema),
  })
  // Found by the machine where the file leaves it out.
  const required = (schema.required ?? []).filter((name) => name !== 'dataDir')
  return { ...schema, title: 'Settings of Holdfast', required }
}

function describe(about: About | undefined, jsonSchema: JsonSchema): void {
  if (about === undefined) return
  if (about.secret) mayBeReference(jsonSchema)
  jsonSchema.description = about.description
}

/** A secret may stand in a file, and so may each of several. */
function mayBeReference(jsonSchema: JsonSchema): void {
  const { items, additionalProperties } = jsonSchema
  if (jsonSchema.type === 'string') {
    const plain = { ...jsonSchema }
    for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
    jsonSchema.anyOf = [plain, reference]
  }
  if (isRecord(items)) jsonSchema.items = { anyOf: [items, reference] }
  if (isRecord(additionalProperties)) {
    jsonSchema.additionalProperties = { anyOf: [additionalProperties, reference] }
  }
}
