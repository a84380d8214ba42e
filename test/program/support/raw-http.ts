import { connect } from 'node:net'

/** The answer on a raw connection. */
export interface RawAnswer {
  /** Null: the connection was closed before. */
  readonly status: number | null
  /** It was waited for a whole answer in vain. */
  readonly isOverdue: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface RawRequest {
  readonly bytes: Uint8Array
  readonly withinMs: number
}

/** Writes these bytes on a connection of its own, whatever they are, and reads one answer. */
export function sendRaw(url: string, { bytes, withinMs }: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    let text = ''
    const isHead = Buffer.from(bytes.subarray(0, 5)).toString() === 'HEAD '
    const socket = connect(Number(port), hostname)
    const finish = (isOverdue: boolean) => {
      clearTimeout(overdue)
      socket.destroy()
      resolve({ ...answerOf(text), isOverdue })
    }
    const overdue = setTimeout(() => finish(true), withinMs)
    socket.on('connect', () => socket.write(bytes))
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (isWhole(text, isHead)) finish(false)
    })
    socket.on('error', () => {}) // `close` follows
    socket.on('close', () => finish(false))
  })
}

/** A request with a right frame around it. */
export function requestBytes(
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array | string = '',
): Buffer {
  const content = Buffer.from(body as string)
  const lines = Object.entries({ host: 'localhost', ...headers, 'content-length': String(content.length) })
  const head = [`${method} ${target} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`)]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), content])
}

function isWhole(text: string, isHead: boolean): boolean {
  const { headers, body, status } = answerOf(text)
  if (status === null) return false
  if (isHead || status === 204 || status === 304) return true
  const length = headers['content-length']
  return length === undefined ? body.endsWith('0\r\n\r\n') : body.length >= Number(length)
}

type Read = Omit<RawAnswer, 'isOverdue'>

function answerOf(text: string): Read {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return { status: null, headers: {}, body: text }
  const [first = '', ...lines] = text.slice(0, end).split('\r\n')
  const status = Number(first.split(' ')[1])
  const rest = text.slice(end + 4)
  if (status >= 100 && status < 200) return answerOf(rest) // go on, the answer follows
  const fields = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return { status, headers: Object.fromEntries(fields), body: rest }
}
