/** A request as nobody should send it, and sometimes as somebody would. */
export interface AnyRequest {
  readonly bytes: Buffer
  /** Its frame is right, so that an answer must come. */
  readonly isFramed: boolean
  readonly shown: string
}

export type Header = readonly [name: string, value: string]
export type Framing =
  | 'length'
  | 'chunked'
  | 'shorter'
  | 'longer'
  | 'both'
  | 'broken-chunks'
  | 'no-number'
  | 'none'

const shownCharsMax = 600

/** A request put together, whatever its parts are. */
export function built(
  method: string,
  at: string,
  headers: readonly Header[],
  framing: Framing,
  content: Buffer,
  junk: Buffer = Buffer.alloc(0),
): AnyRequest {
  const all: Header[] = [['host', 'localhost'], ...headers, ...frameHeaders(framing, content)]
  const head = [`${method} ${at} HTTP/1.1`, ...all.map(([name, value]) => `${name}: ${value}`)]
  const start = Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1')
  const bytes = Buffer.concat([start, framed(framing, content, junk)])
  const isFramed = framing === 'length' || framing === 'chunked'
  return { bytes, isFramed, shown: bytes.toString('latin1').slice(0, shownCharsMax) }
}

function frameHeaders(framing: Framing, { length }: Buffer): Header[] {
  const chunked: Header = ['transfer-encoding', 'chunked']
  const sized = (size: string): Header => ['content-length', size]
  const headers: Record<Framing, Header[]> = {
    length: [sized(String(length))],
    chunked: [chunked],
    shorter: [sized(String(Math.max(0, length - 1)))],
    longer: [sized(String(length + 1))],
    both: [chunked, sized(String(length))],
    'broken-chunks': [chunked],
    'no-number': [sized('-1')],
    none: [],
  }
  return headers[framing]
}

function framed(framing: Framing, content: Buffer, junk: Buffer): Buffer {
  const chunk = Buffer.concat([
    Buffer.from(`${content.length.toString(16)}\r\n`),
    content,
    Buffer.from('\r\n'),
  ])
  const end = Buffer.from('0\r\n\r\n')
  if (framing === 'chunked') return content.length === 0 ? end : Buffer.concat([chunk, end])
  if (framing === 'broken-chunks') return Buffer.concat([chunk, junk, Buffer.from('zz\r\n')])
  return content
}
