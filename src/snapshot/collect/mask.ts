import { partsMax, textCharsMax } from '../../api/index.ts'
import { isSecretKey, type Redactor, redacted } from '../../domain/redact/index.ts'

/** Hides secrets in texts, and cuts them to the length that a snapshot takes. */
export interface Mask {
  text(text: string): string
  /** Lines of a log, of which the newest stay. Secrets of several lines, such as keys, are recognised as a whole. */
  lines(lines: readonly unknown[]): string[]
  /** Arguments of a program: the value of a flag may be an argument of its own. */
  args(args: readonly unknown[]): unknown[]
}

/** No text that is shorter can hold a secret with the name that marks it. */
const maskedCharsMin = 8
/** Longer texts seldom come twice. */
const keptCharsMax = 256

/** Most texts of a fleet are repeated thousands of times: each is looked at once. */
export function createMask(redactor: Pick<Redactor, 'text'>): Mask {
  const masked = new Map<string, string>()
  const text = (given: string): string => {
    if (given.length < maskedCharsMin) return given
    const known = masked.get(given)
    if (known !== undefined) return known
    const result = shortened(redactor.text(given, given.length))
    if (given.length <= keptCharsMax) masked.set(given, result)
    return result
  }
  return {
    text,
    lines(lines) {
      const whole = lines.slice(-partsMax).join('\n')
      return redactor.text(whole, whole.length).split('\n').slice(-partsMax).map(shortened)
    },
    args: (args) =>
      args.map((arg, at) => {
        if (typeof arg !== 'string') return arg
        return isSecretFlag(args[at - 1]) && !arg.startsWith('-') ? redacted : text(arg)
      }),
  }
}

function isSecretFlag(arg: unknown): boolean {
  return typeof arg === 'string' && /^--?[\w-]+$/.test(arg) && isSecretKey(arg)
}

function shortened(text: string): string {
  return text.length <= textCharsMax ? text : `${text.slice(0, textCharsMax - 1)}…`
}
