import { redacted } from './patterns.ts'

/** `base64` wraps lines at 76 and PEM at 64; words and paths are seldom this long, and not equally long twice in a row. */
const lineCharsMin = 60
const lineCharsMax = 1_024
const linesMin = 2
const codedPattern = /^[A-Za-z0-9+/_-]+={0,2}$/
/** Encoded text has characters of all these kinds; hexadecimal hashes have one case. */
const kinds = [/[a-z]/, /[A-Z]/, /\d/]

/**
 * Replaces encoded text that is wrapped into lines of one length, with the shorter last one: only the first line may show
 * that it is a secret, and that line may be cut away.
 */
export function redactBlocks(text: string): string {
  if (text.length < linesMin * lineCharsMin) return text
  const lines = text.split('\n')
  const kept: string[] = []
  for (let at = 0; at < lines.length; ) {
    const end = blockEnd(lines, at)
    kept.push(end === at ? (lines[at] as string) : redacted)
    at = Math.max(end, at + 1)
  }
  return kept.join('\n')
}

/** The index after the last line of the block that begins here; `begin` where none does. */
function blockEnd(lines: readonly string[], begin: number): number {
  const first = codeIn(lines[begin])
  if (first.length < lineCharsMin || !kinds.every((kind) => kind.test(first))) return begin
  let end = begin + 1
  while (codeIn(lines[end]).length === first.length) end += 1
  if (end - begin < linesMin) return begin
  const rest = codeIn(lines[end])
  return rest !== '' && rest.length < first.length ? end + 1 : end
}

/** The encoded text of a line that has nothing else; otherwise empty. */
function codeIn(line: string | undefined): string {
  if (line === undefined || line.length > lineCharsMax) return ''
  const plain = line.trim()
  return codedPattern.test(plain) ? plain : ''
}
