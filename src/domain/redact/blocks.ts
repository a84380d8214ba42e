import { REDACTED } from './patterns.ts'

/** As `base64` breaks lines at 76 and PEM at 64; words of people and paths are not so long twice, and equally. */
const LINE_CHARS_MIN = 60
const LINE_CHARS_MAX = 1_024
const LINES_MIN = 2
const CODED = /^[A-Za-z0-9+/_-]+={0,2}$/
/** Hashes in hexadecimal digits have one case. */
const kinds = [/[a-z]/, /[A-Z]/, /\d/]

/**
 * Replaces coded text that was broken into lines of one length, with its shorter last one: only its first line may tell
 * what it is, and that may be cut away.
 */
export function redactBlocks(text: string): string {
  if (text.length < LINES_MIN * LINE_CHARS_MIN) return text
  const lines = text.split('\n')
  const kept: string[] = []
  for (let at = 0; at < lines.length; ) {
    const end = blockEnd(lines, at)
    kept.push(end === at ? (lines[at] as string) : REDACTED)
    at = Math.max(end, at + 1)
  }
  return kept.join('\n')
}

/** Behind the last line of the block that begins here; where none begins, here. */
function blockEnd(lines: readonly string[], begin: number): number {
  const first = codeIn(lines[begin])
  if (first.length < LINE_CHARS_MIN || !kinds.every((kind) => kind.test(first))) return begin
  let end = begin + 1
  while (codeIn(lines[end]).length === first.length) end += 1
  if (end - begin < LINES_MIN) return begin
  const rest = codeIn(lines[end])
  return rest !== '' && rest.length < first.length ? end + 1 : end
}

/** A line's coded text, where that is all of it. */
function codeIn(line: string | undefined): string {
  if (line === undefined || line.length > LINE_CHARS_MAX) return ''
  const plain = line.trim()
  return CODED.test(plain) ? plain : ''
}
