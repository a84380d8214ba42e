import { redactText } from '../../../domain/redact/index.ts'
import type { Ring } from './ring.ts'

export const TAIL_LINES_MAX = 200
export const TAIL_BYTES_MAX = 64 * 1024
/** Kept above the tail, so that a secret which begins before the cut is still recognised by its beginning. */
const LOOK_BEHIND_BYTES = 16 * 1024
/** What the ring behind a tail has to hold. */
export const TAIL_RING_BYTES = TAIL_BYTES_MAX + LOOK_BEHIND_BYTES

/** The newest lines of an output: whole characters only, secrets masked, bounded, cut at the old end. */
export function renderTail(ring: Ring): string {
  const { bytes, cut } = ring.read()
  const whole = bytes.subarray(cut ? characterStart(bytes, 0) : 0, lastCharacterEnd(bytes))
  const text = whole.toString('utf8').replaceAll('\0', '\uFFFD') // a text column takes no NUL
  return newestBytes(newestLines(redactText(text, text.length)))
}

function newestLines(text: string): string {
  let from = text.endsWith('\n') ? text.length - 1 : text.length
  for (let lines = 0; lines < TAIL_LINES_MAX; lines++) {
    from = from === 0 ? -1 : text.lastIndexOf('\n', from - 1)
    if (from === -1) return text
  }
  return text.slice(from + 1)
}

function newestBytes(text: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= TAIL_BYTES_MAX) return text
  return bytes.subarray(characterStart(bytes, bytes.length - TAIL_BYTES_MAX)).toString('utf8')
}

/** The first byte from here on that begins a character; a character has at most three more. */
function characterStart(bytes: Buffer, from: number): number {
  let at = from
  while (at < from + 4 && isContinuation(bytes[at])) at++
  return at === from + 4 ? from : at
}

/** Without the beginning of a character whose rest has not come. */
function lastCharacterEnd(bytes: Buffer): number {
  let at = bytes.length - 1
  while (at > bytes.length - 4 && isContinuation(bytes[at])) at--
  const first = bytes[at] ?? 0
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1
  return at + length > bytes.length ? Math.max(at, 0) : bytes.length
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
