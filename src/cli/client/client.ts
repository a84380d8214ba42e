import { z } from 'zod'
import { errorBodySchema } from '../../api/index.ts'
import { type ErrorCode, errorTable, HoldfastError } from '../../domain/errors/index.ts'
import { parseJson } from '../../domain/parse-json.ts'

/** Client of the HTTP API; it validates each response against its schema. */
export interface Client {
  readonly url: string
  /** The operator's token; the simulated forge of the same Holdfast accepts it too. */
  readonly token: string | undefined
  get<Schema extends z.ZodType>(path: string, schema: Schema, sent?: Sent): Promise<z.output<Schema>>
  post<Schema extends z.ZodType>(path: string, schema: Schema, sent?: Sent): Promise<z.output<Schema>>
  /** Plain text. */
  text(path: string, sent?: Pick<Sent, 'timeoutMs'>): Promise<string>
}

interface Sent {
  readonly body?: unknown
  /** How long the response may take. */
  readonly timeoutMs?: number
  /** Accepts responses with an error status too, such as that of /readyz. */
  readonly anyStatus?: boolean
}

export interface ClientOptions {
  readonly url: string
  readonly token?: string | undefined
  readonly fetch: typeof fetch
  /** The error for a server that does not answer, or answers that it cannot now. */
  readonly unreachable?: (reason: string) => HoldfastError
}

const timeoutMsDefault = 15_000

/** The error body of a forge. */
const foreignSchema = z.object({ message: z.string().max(500) })

/** An error that the server returned: its message, with the code's entry in our table. */
class AnsweredError extends HoldfastError {
  constructor(code: ErrorCode, message: string) {
    super(code)
    this.message = message
  }
}

export function createClient({ url, token, fetch, unreachable }: ClientOptions): Client {
  /** Returns the body of a successful response. */
  async function exchange(
    method: 'GET' | 'POST',
    path: string,
    { body, timeoutMs = timeoutMsDefault, anyStatus = false }: Sent,
  ): Promise<string> {
    let answer: Response
    let text: string
    try {
      answer = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeoutMs),
      })
      text = await answer.text()
    } catch (error) {
      const reason = serverReasonOf(error, timeoutMs)
      throw unreachable?.(reason) ?? new HoldfastError('E_SERVER_UNREACHABLE', { url, reason })
    }
    if (!answer.ok && !anyStatus) throw errorOf(url, answer.status, parseJson(text), unreachable)
    return text
  }
  async function ask<Schema extends z.ZodType>(
    method: 'GET' | 'POST',
    path: string,
    schema: Schema,
    sent: Sent = {},
  ): Promise<z.output<Schema>> {
    const parsed = schema.safeParse(parseJson(await exchange(method, path, sent)))
    if (!parsed.success) {
      const issue = parsed.error.issues[0]
      throw new HoldfastError('E_SERVER_ANSWER', {
        url,
        problem: `${issue?.path.join('.')}: ${issue?.message}`,
      })
    }
    return parsed.data
  }
  return {
    url,
    token,
    get: (path, schema, sent) => ask('GET', path, schema, sent),
    post: (path, schema, sent) => ask('POST', path, schema, sent),
    text: (path, sent = {}) => exchange('GET', path, sent),
  }
}

function errorOf(
  url: string,
  status: number,
  body: unknown,
  unreachable: ClientOptions['unreachable'],
): HoldfastError {
  const parsed = errorBodySchema.safeParse(body)
  const { code, message } = parsed.data?.error ?? {}
  if (code === undefined || message === undefined || !Object.hasOwn(errorTable, code)) {
    const foreign = foreignSchema.safeParse(body).data?.message
    if (foreign !== undefined && (status === 400 || status === 422)) {
      return new HoldfastError('E_USAGE', { problem: `${url} refused it: ${foreign}` })
    }
    if (foreign !== undefined && status === 503 && unreachable) return unreachable(foreign)
    const problem = foreign === undefined ? `status ${status}` : `status ${status}, ${foreign}`
    return new HoldfastError('E_SERVER_ANSWER', { url, problem })
  }
  return new AnsweredError(code as ErrorCode, message)
}

/** The reason of a failed fetch is in its cause; an error over several addresses says it by its code. */
function serverReasonOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`
  const cause = error.cause instanceof Error ? error.cause : error
  return 'code' in cause ? String(cause.code) : cause.message
}
