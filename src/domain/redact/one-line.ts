import { withoutEscapes } from './escapes.ts'
import { redactText } from './text.ts'

/** One fact is shown in at most so many characters; what a container or a cluster says has no bound of its own. */
const textCharsMax = 600

/** Words of others on one line: without secrets, bounded, and without anything that a terminal obeys. */
export function oneLine(text: string): string {
  const line = harmless(text).replaceAll(/\s+/g, ' ').trim()
  return redactText(line, textCharsMax)
}

/** Text with its lines, without anything that a terminal obeys. */
export function harmless(text: string): string {
  return withoutEscapes(text.replaceAll('\r\n', '\n')).replaceAll(/\r|\p{Cf}/gu, '')
}
