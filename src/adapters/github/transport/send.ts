import type { Purpose } from '../../../ports/budget.ts'
import { type Answer, type Extras, unavailable } from './call.ts'
import type { Etags } from './etags.ts'
import { exchange, readBounded, type Wire } from './exchange.ts'
import type { Meter } from './meter.ts'

/** No answer that we ask for is larger; a larger one is not read to its end. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024
const API_VERSION = '2022-11-28'
/** A repository that was renamed twice leads twice. */
const HOPS_MAX = 3
const USER_AGENT = 'holdfast'
/** Longer than any number that JavaScript holds exactly. */
const LONG_NUMBER = /\d{16,}/

export interface Sending extends Extras {
  readonly method: string
  readonly path: string
  readonly bearer: string
  /** Whose budget and whose view of the forge it is. */
  readonly account: string
  readonly purpose: Purpose
}
export type Send = (sending: Sending, signal: AbortSignal) => Promise<Answer>

export interface SendOptions extends Wire {
  readonly apiUrl: string
  readonly etags: Etags
  readonly meter: Meter
}

/** Sends requests within the budget, and reads again only what changed. */
export function createSend({ apiUrl, etags, meter, ...wire }: SendOptions): Send {
  const base = apiUrl.replace(/\/+$/, '')
  return async (sending, signal) => {
    const name = `${sending.method} ${sending.path.split('?')[0]}`
    const leave = await meter.admit(sending.account, sending.purpose, name, signal)
    return exchanged(sending, name, signal).finally(leave)
  }

  async function exchanged(sending: Sending, name: string, signal: AbortSignal): Promise<Answer> {
    const { method, path, account, body, redirect = 'follow' } = sending
    const kept = method === 'GET' ? etags.get(account, path) : undefined
    const init: RequestInit = { method, redirect: 'manual', headers: headersOf(sending, kept?.etag) }
    if (body !== undefined) init.body = JSON.stringify(body)
    const ask = (url: string, hops: number): Promise<Answer> =>
      exchange(name, url, init, wire, signal, async (response) => {
        const next = redirect === 'manual' ? null : renamedTo(response, url, method)
        if (next === null) return { next, answer: await read(response) }
        await response.body?.cancel()
        return { next, answer: null }
      }).then(({ next, answer }) => {
        if (answer !== null) return answer
        if (next === null || hops >= HOPS_MAX) throw unavailable(name, 'it led from one address to the next')
        return ask(next, hops + 1)
      })
    const read = async (response: Response): Promise<Answer> => {
      const text = await readBounded(response, ANSWER_BYTES_MAX)
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

/**
 * Where a repository is that was renamed: GitHub leads to it, on its own host. Our token goes nowhere else, and what
 * changes something is sent again only where the forge says so.
 */
function renamedTo(response: Response, from: string, method: string): string | null {
  const { status } = response
  const isRead = method === 'GET' && (status === 301 || status === 302)
  if (!isRead && status !== 307 && status !== 308) return null
  const location = response.headers.get('location') ?? ''
  if (!URL.canParse(location, from)) throw new Error(`it answered ${status} and led to no address`)
  const to = new URL(location, from)
  if (to.origin !== new URL(from).origin) throw new Error(`it led to another host: ${to.host}`)
  return to.href
}

function headersOf({ bearer, body }: Sending, etag: string | undefined): Record<string, string> {
  return {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${bearer}`,
    'x-github-api-version': API_VERSION,
    'user-agent': USER_AGENT,
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(etag !== undefined && { 'if-none-match': etag }),
  }
}

function jsonOf(text: string): unknown {
  try {
    return LONG_NUMBER.test(text) ? JSON.parse(text, exact as never) : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A whole number that would lose its last digits stays the text that it was. */
function exact(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  const isLossy = typeof value === 'number' && !Number.isSafeInteger(value) && /^\d+$/.test(source ?? '')
  return isLossy ? source : value
}
