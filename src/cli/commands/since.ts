import { InvalidArgumentError } from 'commander'
import { sinceSchema } from '../../api/index.ts'

/** Validates a time span; the text itself goes to the server unchanged. */
export function since(text: string): string {
  const parsed = sinceSchema.safeParse(text)
  if (parsed.success) return text
  throw new InvalidArgumentError(parsed.error.issues.map(({ message }) => `${message}.`).join(' '))
}
