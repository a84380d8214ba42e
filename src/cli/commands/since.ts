import { InvalidArgumentError } from 'commander'
import { sinceSchema } from '../../api/index.ts'

/** The text goes to the server as it stands; what is wrong with it is said here. */
export function since(text: string): string {
  const parsed = sinceSchema.safeParse(text)
  if (parsed.success) return text
  throw new InvalidArgumentError(parsed.error.issues.map(({ message }) => `${message}.`).join(' '))
}
