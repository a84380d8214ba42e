/** The contexts that `${{ … }}` may look up: the names on the left of the first point. */
export type Contexts = Readonly<Record<string, unknown>>

/** An expression that this runner does not understand; the job is refused with its text. */
export class Unsupported extends Error {}

const expression = /\$\{\{(.*?)\}\}/gs
const lookup = /^[A-Za-z_][\w-]*(\.[A-Za-z_][\w-]*|\['[^']*'\])*$/

/** A text with every `${{ a.b }}` in it replaced; `keep` leaves some for later. */
export function interpolate(text: string, contexts: Contexts): string {
  return text.replaceAll(expression, (_, inner: string) => asText(evaluate(inner.trim(), contexts)))
}

/** The value of a lookup or a literal. What is not there is null, as in GitHub's language. */
export function evaluate(source: string, contexts: Contexts): unknown {
  if (/^'([^']|'')*'$/.test(source)) return source.slice(1, -1).replaceAll("''", "'")
  if (/^-?\d+(\.\d+)?$/.test(source)) return Number(source)
  if (source === 'true' || source === 'false') return source === 'true'
  if (source === 'null') return null
  if (!lookup.test(source)) throw unsupported(source)
  const [first = '', ...rest] = source.split(/\.|\['|'\]\.?/).filter((part) => part !== '')
  if (!Object.hasOwn(contexts, first)) throw unsupported(source)
  return rest.reduce(child, contexts[first])
}

/** Whether a step or job runs, by its `if`: these four calls are understood, and nothing else. */
export function isToRun(
  condition: string | undefined,
  state: { readonly isFailed: boolean; readonly isCancelled: boolean },
): boolean {
  const source = (condition ?? 'success()')
    .trim()
    .replace(/^\$\{\{(.*)\}\}$/s, '$1')
    .trim()
  switch (source) {
    case 'always()':
      return true
    case 'failure()':
      return state.isFailed && !state.isCancelled
    case 'cancelled()':
      return state.isCancelled
    case 'success()':
    case 'true':
      return !state.isFailed && !state.isCancelled
    case 'false':
      return false
    default:
      throw new Unsupported(`if: ${source} (understood: success(), failure(), always(), cancelled())`)
  }
}

function child(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null
  return (value as Record<string, unknown>)[name]
}

function asText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function unsupported(source: string): Unsupported {
  return new Unsupported(`\${{ ${source} }} (understood: lookups such as matrix.os, and literals)`)
}
