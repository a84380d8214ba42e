import { commonErrorSchema, correctedBodies, correctedQueries, keptOfFirst } from './operations.ts'
import { isObject, type Json, type JsonObject, toJsonSchema } from './schema.ts'

/** The named operations and every schema that they need. */
export function extractOperations(description: JsonObject, names: readonly string[]): JsonObject {
  const library = new Library(description)
  const operations: Record<string, Json> = {}
  for (const name of names) {
    const [method = '', path = ''] = name.split(' ')
    const operation = at(description, 'paths', path, method.toLowerCase())
    if (!isObject(operation)) throw new Error(`GitHub's description has no ${name}`)
    operations[name] = operationOf(operation, library, {
      bodies: correctedBodies[name] ?? {},
      queries: correctedQueries[name] ?? {},
    })
  }
  library.mention(commonErrorSchema)
  return {
    commonError: `#/schemas/${commonErrorSchema}`,
    corrected: [...Object.keys(correctedBodies), ...Object.keys(correctedQueries)],
    operations,
    schemas: library.schemas(),
  }
}

/** Two cuts as one. Where both name a schema, it must be the same, or is one of which the first cut's is kept. */
export function merged(one: JsonObject, other: JsonObject): JsonObject {
  const schemas = { ...(one.schemas as JsonObject) }
  for (const [name, schema] of Object.entries(other.schemas as JsonObject)) {
    const known = schemas[name]
    if (keptOfFirst.includes(name) && known !== undefined) continue
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`GitHub's descriptions differ in the schema ${name}`)
    }
    schemas[name] = schema
  }
  const operations = { ...(one.operations as JsonObject), ...(other.operations as JsonObject) }
  return { ...one, operations, schemas }
}

/** The messages of the named events, by action, with the headers that all of them bear. */
export function extractWebhooks(description: JsonObject, events: readonly string[]): JsonObject {
  const library = new Library(description)
  const messages: Record<string, Json> = {}
  const headers = new Set<string>()
  for (const { post } of Object.values(description.webhooks ?? {}) as { post: JsonObject }[]) {
    const event = String(at(post, 'x-github', 'subcategory'))
    if (!events.includes(event)) continue
    // `workflow-job/in-progress`, or `ping` where an event has no actions.
    const action = String(post.operationId).split('/')[1]?.replaceAll('-', '_')
    const schema = at(post, 'requestBody', 'content', 'application/json', 'schema')
    messages[action === undefined ? event : `${event} ${action}`] = library.convert(schema)
    for (const header of post.parameters as readonly JsonObject[]) headers.add(String(header.name))
  }
  return { headers: [...headers], messages, schemas: library.schemas() }
}

/** The published examples of the named events. */
export function extractExamples(published: readonly JsonObject[], events: readonly string[]): JsonObject {
  const chosen = published.filter((each) => events.includes(String(each.name)))
  return Object.fromEntries(chosen.map((each) => [String(each.name), each.examples ?? []]))
}

interface Corrected {
  readonly bodies: JsonObject
  readonly queries: JsonObject
}

function operationOf(operation: JsonObject, library: Library, corrected: Corrected): JsonObject {
  const body = library.resolve(operation.requestBody)
  return {
    query: Object.fromEntries(
      parametersOf(operation, library).map(({ name, schema }) => [
        String(name),
        library.convert(corrected.queries[String(name)] ?? schema),
      ]),
    ),
    request: body === null ? null : library.convert(at(body, 'content', 'application/json', 'schema')),
    isRequestRequired: body?.required === true,
    responses: Object.fromEntries(
      Object.entries(operation.responses as JsonObject).map(([status, response]) => [
        status,
        responseOf(library.resolve(response) ?? {}, library, corrected.bodies[status]),
      ]),
    ),
  }
}

function parametersOf(operation: JsonObject, library: Library): readonly JsonObject[] {
  const parameters = (operation.parameters ?? []) as readonly Json[]
  return parameters.map((each) => library.resolve(each) ?? {}).filter((parameter) => parameter.in === 'query')
}

function responseOf(response: JsonObject, library: Library, corrected: Json | undefined): JsonObject {
  const schema = corrected ?? at(response, 'content', 'application/json', 'schema')
  return {
    headers: Object.keys((response.headers ?? {}) as JsonObject),
    body: schema === undefined ? null : library.convert(schema),
  }
}

function at(value: Json | undefined, ...keys: readonly string[]): Json | undefined {
  return keys.reduce<Json | undefined>((inner, key) => (isObject(inner) ? inner[key] : undefined), value)
}

/** The description's shared parts; it remembers which schemas were mentioned. */
class Library {
  readonly #description: JsonObject
  readonly #mentioned = new Set<string>()

  constructor(description: JsonObject) {
    this.#description = description
  }

  mention(name: string): void {
    this.#mentioned.add(name)
  }

  convert(schema: Json | undefined): Json {
    return toJsonSchema(schema ?? true, (name) => this.mention(name))
  }

  /** The shared response, parameter or body that a reference names. */
  resolve(value: Json | undefined): JsonObject | null {
    if (!isObject(value)) return null
    if (typeof value.$ref !== 'string') return value
    return this.resolve(at(this.#description, ...value.$ref.replace(/^#\//, '').split('/')))
  }

  /** The mentioned schemas, and those that they mention in turn. */
  schemas(): JsonObject {
    const schemas: Record<string, Json> = {}
    // A set that grows while it is walked: the new names are walked too.
    for (const name of this.#mentioned) {
      const schema = at(this.#description, 'components', 'schemas', name)
      if (schema === undefined) throw new Error(`GitHub's description has no schema ${name}`)
      schemas[name] = this.convert(schema)
    }
    return schemas
  }
}
