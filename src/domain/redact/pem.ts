import { REDACTED } from './patterns.ts'

const BEGIN = '-----BEGIN '
const END = '-----END '
const DASHES = '-----'
const KEY_LINE = /^[A-Za-z0-9+/=]{1,128}$/

/** The longest key there is, with room; beyond it an END belongs to something else. */
const BLOCK_CHARS_MAX = 16 * 1024

/** Replaces PEM blocks, also those whose begin or end lies outside of the text. */
export function redactPem(text: string): string {
  if (!text.includes(DASHES)) return text
  let result = ''
  let from = 0
  let end = text.indexOf(END)
  for (let begin = text.indexOf(BEGIN); begin !== -1; begin = text.indexOf(BEGIN, from)) {
    result += `${withoutHeadless(text.slice(from, begin))}${REDACTED}`
    if (end !== -1 && end < begin) end = text.indexOf(END, begin) // asked once for each END, not for each BEGIN
    from = afterBlock(text, begin + BEGIN.length, end)
  }
  return result + withoutHeadless(text.slice(from))
}

function afterBlock(text: string, from: number, end: number): number {
  if (end === -1 || end - from > BLOCK_CHARS_MAX) return afterKeyLines(text, from)
  const close = text.indexOf(DASHES, end + END.length)
  return close === -1 ? text.length : close + DASHES.length
}

/** Without its END, a block is as long as its lines look like a key: the rest of a log is not hidden for it. */
function afterKeyLines(text: string, from: number): number {
  let at = lineEnd(text, from)
  while (at < text.length) {
    const end = lineEnd(text, at + 1)
    if (!KEY_LINE.test(text.slice(at + 1, end).trim())) return at
    at = end
  }
  return at
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}

/** A tail of a log may begin in the middle of a key: the lines above an END without BEGIN are the key. */
function withoutHeadless(text: string): string {
  if (!text.includes(END)) return text
  const kept: string[] = []
  for (const line of text.split('\n')) {
    const isEnd = line.includes(END)
    while (isEnd && KEY_LINE.test(kept.at(-1)?.trimEnd() ?? '')) kept.pop()
    kept.push(isEnd ? REDACTED : line)
  }
  return kept.join('\n')
}
