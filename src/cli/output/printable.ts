import { stripVTControlCharacters } from 'node:util'

/** Text that a forge or a job gave, without what would move the cursor or change colours. */
export function printable(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\p{Cc}|\p{Cf}/gu, '')
}
