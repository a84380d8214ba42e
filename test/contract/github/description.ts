import { readFileSync } from 'node:fs'
import { Ajv2019, type ValidateFunction } from 'ajv/dist/2019.js'
import formats from 'ajv-formats'
import { closed, walked } from './closed.ts'

interface ResponseDescription {
  readonly headers: readonly string[]
  readonly body: unknown
}
interface Operation {
  readonly query: Readonly<Record<string, unknown>>
  readonly request: unknown
  readonly isRequestRequired: boolean
  readonly responses: Readonly<Record<string, ResponseDescription>>
}
interface Fixture {
  readonly sources: Readonly<Record<string, string>>
  readonly schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}
interface RestFixture extends Fixture {
  readonly commonError: string
  readonly operations: Readonly<Record<string, Operation>>
}
export interface WebhookFixture extends Fixture {
  readonly headers: readonly string[]
  readonly messages: Readonly<Record<string, unknown>>
  readonly examples: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>
}

/** GitHub's published description of its REST API, as far as a runner fleet uses it. */
export const rest = read('openapi.json') as RestFixture
/** GitHub's published schemas and examples of its webhooks. */
export const webhooks = read('webhooks.json') as WebhookFixture

/** GitHub gives these on every path, described there or not. */
const commonErrors = new Set([401, 403, 404, 429, 500, 502, 503])

export interface Exchange {
  readonly method: string
  readonly url: URL
  /** Parsed; undefined where none was sent. */
  readonly request: unknown
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Judges what was asked and answered by GitHub's description; each problem is one line. */
export function createRestJudge() {
  const compile = compiler(rest)
  return (exchange: Exchange): { readonly operation: string | null; readonly problems: string[] } => {
    const operation = operationOf(exchange.method, exchange.url.pathname)
    if (operation === null) {
      const isRefusal = exchange.status === 404 || exchange.status === 401
      return { operation, problems: isRefusal ? [] : ['a path that GitHub does not describe was answered'] }
    }
    const description = rest.operations[operation] as Operation
    const problems = [
      ...requestProblems(exchange, description, compile),
      ...responseProblems(exchange, description, compile),
    ]
    return { operation, problems }
  }
}

/** Judges a message by the schema of its event and action. */
export function createWebhookJudge() {
  const compile = compiler(webhooks)
  return (event: string, payload: Readonly<Record<string, unknown>>, isExact: boolean): string[] => {
    const name = typeof payload.action === 'string' ? `${event} ${payload.action}` : event
    const schema = webhooks.messages[name] ?? webhooks.messages[event]
    return schema === undefined ? [`no message ${name} is described`] : compile(schema, payload, isExact)
  }
}

/** Where a GitHub Enterprise Server has the same paths. */
const serverPrefix = /^\/api\/v3(?=\/)/

/** The described operation that a call is one of; a fixed word in a path is stronger than a parameter. */
function operationOf(method: string, address: string): string | null {
  const path = address.replace(serverPrefix, '')
  const fitting = Object.keys(rest.operations).filter((name) => {
    const [itsMethod, template = ''] = name.split(' ')
    return itsMethod === method && new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path)
  })
  return fitting.sort((a, b) => a.split('{').length - b.split('{').length)[0] ?? null
}

type Compile = (schema: unknown, value: unknown, isExact: boolean) => string[]

function requestProblems({ url, request }: Exchange, description: Operation, compile: Compile): string[] {
  const problems: string[] = []
  for (const [name, text] of url.searchParams) {
    const schema = description.query[name]
    if (schema === undefined) problems.push(`query ${name}: GitHub does not describe it`)
    else problems.push(...compile(schema, queryValue(text), true).map((why) => `query ${name}${why}`))
  }
  if (request === undefined) {
    if (description.isRequestRequired) problems.push('request: a body is required, none was sent')
  } else if (description.request === null) problems.push('request: GitHub describes no body')
  else problems.push(...compile(description.request, request, true).map((why) => `request${why}`))
  return problems
}

function responseProblems(exchange: Exchange, description: Operation, compile: Compile): string[] {
  const { status, headers, text, request } = exchange
  const described = description.responses[status]
  if (described === undefined && status === 304) return text === '' ? [] : ['a 304 bears a body']
  // A refusal of a bad request is no problem of the request, and GitHub words it alike everywhere.
  const isCommon = commonErrors.has(status) || (status === 400 && request !== undefined)
  if (described === undefined && !isCommon) return [`status ${status}: GitHub does not describe it`]
  const schema = described === undefined ? { $ref: rest.commonError } : described.body
  const missing = (described?.headers ?? []).filter((name) => name !== 'Link' && !headers.has(name))
  const problems = missing.map((name) => `header ${name} is missing`)
  if (schema === null) return text === '' ? problems : [...problems, `${status} bears a body`]
  if (!/^application\/json; charset=utf-8$/.test(headers.get('content-type') ?? '')) {
    problems.push(`content type is ${headers.get('content-type')}`)
  }
  return [
    ...problems,
    ...compile(schema, JSON.parse(text), status < 400).map((why) => `${status} body${why}`),
  ]
}

function queryValue(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^\d+$/.test(text) ? Number(text) : text
}

/** `isExact`: names that the schema does not know are problems too. */
function compiler({ schemas }: Fixture): Compile {
  const made = new Map<string, ValidateFunction>()
  const openAjv = ajvWith(schemas)
  const exactSchemas = Object.entries(schemas).map(([name, schema]) => [name, walked(schema)])
  const exactAjv = ajvWith(Object.fromEntries(exactSchemas))
  return (schema, value, isExact) => {
    const key = `${isExact} ${JSON.stringify(schema)}`
    const ajv = isExact ? exactAjv : openAjv
    const validate = made.get(key) ?? ajv.compile(absolute(isExact ? closed(schema) : schema) as object)
    made.set(key, validate)
    if (validate(value)) return []
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      `${instancePath}: ${message} ${JSON.stringify(params)}`.trim(),
    )
  }
}

function ajvWith(schemas: Fixture['schemas']): Ajv2019 {
  const ajv = new Ajv2019({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addSchema({ $id: library, schemas })
  return ajv
}

const library = 'https://fixture.invalid/library'

/** References out of a schema that stands alone lead to the library. */
function absolute(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/schemas/', `"${library}#/schemas/`))
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8'))
}
