import { REDACTED } from './patterns.ts'

const BEGIN = '-----BEGIN '
const END = '-----END '
const DASHES = '-----'
const KEY_LINE = /^[A-Za-z0-9+/=]{1,128}$/

/** Replaces PEM blocks, also those whose begin or end lies outside of the text. */
export function redactPem(text: string): string {
  if (!text.includes(DASHES)) return text
  let result = ''
  let from = 0
  for (let begin = text.indexOf(BEGIN); begin !== -1; begin = text.indexOf(BEGIN, from)) {
    result += `${withoutHeadless(text.slice(from, begin))}${REDACTED}`
    from = afterBlock(text, begin + BEGIN.length)
  }
  return result + withoutHeadless(text.slice(from))
}

function afterBlock(text: string, from: number): number {
  const end = text.indexOf(END, from)
  if (end === -1) return text.length
  const close = text.indexOf(DASHES, end + END.length)
  return close === -1 ? text.length : close + DASHES.length
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
