import { redactBareTokens, redactText } from '../redact/index.ts'

/** The bounds of a tail. */
export interface TailBounds {
  readonly linesMax: number
  readonly bytesMax: number
}

/** Bytes read above the tail, so that a secret that begins before the cut is still recognised by its beginning. */
export const lookBehindBytes = 16 * 1024
/** The most that a cut moves towards the newer end to begin with a whole line or word. */
const seekCharsMax = 1_024
/** The mark for a word whose beginning was not read. */
const cutMark = '…'

/**
 * Renders the newest bytes of an output as its newest lines: whole characters, redacted, bounded, cut at the old end.
 * `isCut`: older bytes exist and are not given.
 */
export function renderTail(bytes: Uint8Array, isCut: boolean, bounds: TailBounds): string {
  const whole = bytes.subarray(isCut ? characterStart(bytes, 0) : 0, lastCharacterEnd(bytes))
  const text = storable(new TextDecoder('utf-8', { ignoreBOM: true }).decode(whole))
  const masked = redactBareTokens(redactText(text, text.length))
  const start = startOf(masked, bounds)
  if (!isCut) return masked.slice(start)
  // The text before the first space may be the rest of a secret whose beginning is not given.
  const known = firstSpace(masked)
  if (known <= start) return masked.slice(start)
  if (known - start <= seekMax(bounds)) return masked.slice(known)
  const room = { ...bounds, bytesMax: bounds.bytesMax - bytesIn(cutMark) }
  return room.bytesMax <= 0 ? '' : `${cutMark}${masked.slice(startOf(masked, room))}`
}

/** Cuts redacted text at its old end to at most `bytesMax`. */
export function newestText(text: string, bytesMax: number): string {
  return text.slice(startOf(text, { linesMax: Number.POSITIVE_INFINITY, bytesMax }))
}

/** Neither a text column nor a line of a log takes a NUL. */
function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD')
}

function startOf(text: string, { linesMax, bytesMax }: TailBounds): number {
  if (linesMax <= 0 || bytesMax <= 0) return text.length
  const byLines = lineStart(text, linesMax)
  const byBytes = byteStart(text, bytesMax)
  return byBytes <= byLines ? byLines : wholeLine(text, byBytes, bytesMax)
}

/** The start of the newest `linesMax` lines; an unfinished line counts. */
function lineStart(text: string, linesMax: number): number {
  if (linesMax > text.length) return 0
  let from = text.endsWith('\n') ? text.length - 1 : text.length
  for (let lines = 0; lines < linesMax; lines += 1) {
    from = from === 0 ? -1 : text.lastIndexOf('\n', from - 1)
    if (from === -1) return 0
  }
  return from + 1
}

/** The start of the newest `bytesMax` bytes, never within a character. */
function byteStart(text: string, bytesMax: number): number {
  // A character of text has at most three bytes: most tails are too short to be counted.
  if (text.length * 3 <= bytesMax) return 0
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= bytesMax) return 0
  const kept = bytes.subarray(characterStart(bytes, bytes.length - bytesMax))
  return text.length - new TextDecoder('utf-8', { ignoreBOM: true }).decode(kept).length
}

/** The start of the next line where that is near, otherwise `from`. */
function wholeLine(text: string, from: number, bytesMax: number): number {
  if (from === 0 || text[from - 1] === '\n') return from
  const end = text.indexOf('\n', from)
  const isNear = end !== -1 && end + 1 < text.length && end - from <= seekMax({ bytesMax })
  return isNear ? end + 1 : from
}

function seekMax({ bytesMax }: Pick<TailBounds, 'bytesMax'>): number {
  return Math.min(seekCharsMax, bytesMax / 4)
}

/** The position after the first space; infinite without one. */
function firstSpace(text: string): number {
  const at = text.search(/\s/)
  return at === -1 ? Number.POSITIVE_INFINITY : at + 1
}

function bytesIn(text: string): number {
  return new TextEncoder().encode(text).length
}

/** The first byte from here on that begins a character; a character has at most three more. */
function characterStart(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < from + 4 && isContinuation(bytes[at])) at += 1
  return at === from + 4 ? from : at
}

/** The end of the last complete character. */
function lastCharacterEnd(bytes: Uint8Array): number {
  let at = bytes.length - 1
  while (at > bytes.length - 4 && isContinuation(bytes[at])) at -= 1
  const first = bytes[at] ?? 0
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1
  return at + length > bytes.length ? Math.max(at, 0) : bytes.length
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
