import { isSecretKey } from './keys.ts'
import { redacted } from './patterns.ts'
import { redactText } from './text.ts'

const defaultDepthMax = 6
/** The bound on values and characters of one call, and so on the work for one log line. */
const nodesMax = 500
const textCharsMax = 64 * 1024
const cut = '[cut]'

type RedactText = (text: string, charsMax?: number) => string

interface Budget {
  nodes: number
  chars: number
  readonly redact: RedactText
}

/** A copy that is safe to write: plain data, secrets replaced by key and by pattern, bounded in depth and size. */
export function redactValue(value: unknown): unknown {
  return copyRedacted(value, redactText)
}

/** Like `redactValue`, with another redaction of text. */
export function copyRedacted(value: unknown, redact: RedactText): unknown {
  return copy(value, defaultDepthMax, { nodes: nodesMax, chars: textCharsMax, redact })
}

function copy(value: unknown, depth: number, budget: Budget): unknown {
  if (budget.nodes-- <= 0) return cut
  if (typeof value === 'string') return copyText(value, budget)
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value)
  if (typeof value === 'function') return '[function]'
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0) return cut
  try {
    return copyObject(value, depth - 1, budget)
  } catch {
    return '[unreadable]' // a getter or toJSON that throws must not cost the log line
  }
}

function copyText(text: string, budget: Budget): string {
  if (budget.chars <= 0) return cut
  const kept = budget.redact(text, Math.min(budget.chars, textCharsMax / 4))
  budget.chars -= kept.length
  return kept
}

function copyObject(value: object, depth: number, budget: Budget): unknown {
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (value instanceof Error) return copyEntries(errorEntries(value), depth, budget)
  if (Array.isArray(value) || value instanceof Set) return copyList(value, depth, budget)
  if (value instanceof Map) return copyEntries(value.entries(), depth, budget)
  if ('toJSON' in value && typeof value.toJSON === 'function') return copy(value.toJSON(), depth, budget)
  return copyEntries(Object.entries(value), depth, budget)
}

/** The own fields of an error, among them the code of a system error, after what every error has. */
function errorEntries(error: Error): [string, unknown][] {
  const { name, message, stack, cause } = error
  const own = Object.entries(error).filter(([key]) => key !== 'name' && key !== 'message' && key !== 'cause')
  const always: [string, unknown][] = [['name', name], ['message', message], ['stack', stack], ...own]
  return cause === undefined ? always : [...always, ['cause', cause]]
}

function copyList(values: Iterable<unknown>, depth: number, budget: Budget): unknown[] {
  const list: unknown[] = []
  for (const value of values) {
    list.push(copy(value, depth, budget))
    if (budget.nodes <= 0) break
  }
  return list
}

function copyEntries(
  entries: Iterable<[unknown, unknown]>,
  depth: number,
  budget: Budget,
): Record<string, unknown> {
  const fields: [string, unknown][] = []
  for (const [key, value] of entries) {
    const name = String(key)
    fields.push([budget.redact(name, 256), isHidden(name, value) ? redacted : copy(value, depth, budget)])
    if (budget.nodes <= 0) break
  }
  return Object.fromEntries(fields)
}

/** Whether a field is hidden; null, undefined and booleans only show whether a secret is set. */
function isHidden(key: string, value: unknown): boolean {
  return value !== undefined && value !== null && typeof value !== 'boolean' && isSecretKey(key)
}
