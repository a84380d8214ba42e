import type { Purpose } from '../../../ports/budget.ts'
import { redirectsMax, redirectTarget } from '../../forge-http/index.ts'
import { type ApiResponse, type Extras, unavailable } from './call.ts'
import type { Etags } from './etags.ts'
import { exchange, readBounded, type Wire } from './exchange.ts'
import type { Meter } from './meter.ts'

/** The bound of an answer; a larger one is refused. */
const answerBytesMax = 16 * 1024 * 1024
const apiVersion = '2022-11-28'
const userAgent = 'holdfast'
/** Longer than any number that JavaScript holds exactly. */
const longNumber = /\d{16,}/

export interface Sending extends Extras {
  readonly method: string
  readonly path: string
  readonly bearer: string
  /** The account whose budget it uses and whose view of the forge it gets. */
  readonly account: string
  readonly purpose: Purpose
}
export type Send = (sending: Sending, signal: AbortSignal) => Promise<ApiResponse>

export interface SendOptions extends Wire {
  readonly apiUrl: string
  readonly etags: Etags
  readonly meter: Meter
}

/** Sends requests within the budget, and revalidates cached responses. */
export function createSend({ apiUrl, etags, meter, ...wire }: SendOptions): Send {
  const base = apiUrl.replace(/\/+$/, '')
  return async (sending, signal) => {
    const name = `${sending.method} ${sending.path.split('?')[0]}`
    const leave = await meter.admit(sending.account, sending.purpose, name, signal)
    return exchanged(sending, name, signal).finally(leave)
  }

  async function exchanged(sending: Sending, name: string, signal: AbortSignal): Promise<ApiResponse> {
    const { method, path, account, body, redirect = 'follow' } = sending
    const kept = method === 'GET' ? etags.get(account, path) : undefined
    const init: RequestInit = { method, redirect: 'manual', headers: headersOf(sending, kept?.etag) }
    if (body !== undefined) init.body = JSON.stringify(body)
    const ask = (url: string, hops: number): Promise<ApiResponse> =>
      exchange(name, url, init, wire, signal, async (response) => {
        const next = redirect === 'manual' ? null : redirectTarget(response, url, method)
        if (next === null) return { next, answer: await read(response) }
        await response.body?.cancel()
        return { next, answer: null }
      }).then(({ next, answer }) => {
        if (answer !== null) return answer
        if (next === null || hops >= redirectsMax)
          throw unavailable(name, 'it led from one address to the next')
        return ask(next.href, hops + 1)
      })
    const read = async (response: Response): Promise<ApiResponse> => {
      const text = await readBounded(response, answerBytesMax)
      const { status, headers } = response
      const answer = { status, headers, body: jsonOf(text), at: wire.clock.now() }
      meter.read(account, answer)
      if (status >= 500) throw new Error(`it answered ${status}`)
      if (status === 304 && kept !== undefined) return { ...answer, status: 200, body: kept.body }
      const etag = headers.get('etag')
      if (method === 'GET' && status === 200 && etag !== null && answer.body !== undefined) {
        etags.put(account, path, { etag, body: answer.body, byteCount: text.length })
      }
      return answer
    }
    return ask(`${base}${path}`, 0)
  }
}

function headersOf({ bearer, body }: Sending, etag: string | undefined): Record<string, string> {
  return {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${bearer}`,
    'x-github-api-version': apiVersion,
    'user-agent': userAgent,
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(etag !== undefined && { 'if-none-match': etag }),
  }
}

function jsonOf(text: string): unknown {
  try {
    return longNumber.test(text) ? JSON.parse(text, exact as never) : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Keeps an integer beyond the safe range as text. */
function exact(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  const isLossy = typeof value === 'number' && !Number.isSafeInteger(value) && /^\d+$/.test(source ?? '')
  return isLossy ? source : value
}
