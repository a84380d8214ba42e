import { stripVTControlCharacters } from 'node:util'

/** Text of a forge or a job without terminal control sequences. */
export function printable(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\p{Cc}|\p{Cf}/gu, '')
}
