import { redacted } from './patterns.ts'

const beginMark = '-----BEGIN '
const endMark = '-----END '
const dashes = '-----'
const keyLine = /^[A-Za-z0-9+/=]{1,128}$/

/** More than the longest key; an END further away belongs to another block. */
const blockCharsMax = 16 * 1024

/** Replaces PEM blocks, also those that begin or end outside of the text. */
export function redactPem(text: string): string {
  if (!text.includes(dashes)) return text
  let result = ''
  let from = 0
  let end = text.indexOf(endMark)
  for (let begin = text.indexOf(beginMark); begin !== -1; begin = text.indexOf(beginMark, from)) {
    result += `${withoutHeadless(text.slice(from, begin))}${redacted}`
    if (end !== -1 && end < begin) end = text.indexOf(endMark, begin) // asked once for each END, not for each BEGIN
    from = afterBlock(text, begin + beginMark.length, end)
  }
  return result + withoutHeadless(text.slice(from))
}

function afterBlock(text: string, from: number, end: number): number {
  if (end === -1 || end - from > blockCharsMax) return afterKeyLines(text, from)
  const close = text.indexOf(dashes, end + endMark.length)
  return close === -1 ? text.length : close + dashes.length
}

/** Without its END, a block is as long as its lines look like a key: the rest of a log is not hidden for it. */
function afterKeyLines(text: string, from: number): number {
  let at = lineEnd(text, from)
  while (at < text.length) {
    const end = lineEnd(text, at + 1)
    if (!keyLine.test(text.slice(at + 1, end).trim())) return at
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
  if (!text.includes(endMark)) return text
  const kept: string[] = []
  for (const line of text.split('\n')) {
    const isEnd = line.includes(endMark)
    while (isEnd && keyLine.test(kept.at(-1)?.trimEnd() ?? '')) kept.pop()
    kept.push(isEnd ? redacted : line)
  }
  return kept.join('\n')
}
