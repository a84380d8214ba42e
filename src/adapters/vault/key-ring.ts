import { HoldfastError } from '../../domain/errors/index.ts'
import { isRecord } from '../../domain/is-record.ts'

/** Keys by id; new secrets use the current one, old ones keep opening with theirs. */
export interface KeyRing {
  readonly current: string
  readonly keys: ReadonlyMap<string, Uint8Array>
}

/** The ring as it is written: keys in base64. */
interface KeyRingText {
  readonly current: string
  readonly keys: Readonly<Record<string, string>>
}

export const keyBytes = 32
const keyId = /^[A-Za-z0-9._-]{1,64}$/

/** Checks a ring read from `source` (a file or a setting), never quoting a key in an error. */
export function keyRingOf(value: unknown, source: string): KeyRing {
  const invalid = (problem: string): never => {
    throw new HoldfastError('E_KEY_FILE', { file: source, problem })
  }
  if (!isRecord(value) || !isRecord(value.keys) || typeof value.current !== 'string') {
    return invalid('expected {"current": "<id>", "keys": {"<id>": "<32 bytes in base64>"}}')
  }
  const keys = new Map<string, Uint8Array>()
  for (const [id, text] of Object.entries(value.keys)) {
    if (!keyId.test(id))
      invalid(`the key id "${id}" has other characters than letters, digits, ".", "_", "-"`)
    const key = typeof text === 'string' ? Buffer.from(text, 'base64') : Buffer.alloc(0)
    if (key.length !== keyBytes)
      invalid(`key "${id}" has ${key.length} bytes, expected ${keyBytes} in base64`)
    keys.set(id, key)
  }
  if (!keys.has(value.current)) invalid(`the current key "${value.current}" is not among its keys`)
  return { current: value.current, keys }
}

/** The ring as text for its file. */
export function keyRingText({ current, keys }: KeyRing): string {
  const encoded = [...keys].map(([id, key]) => [id, Buffer.from(key).toString('base64')])
  return `${JSON.stringify({ current, keys: Object.fromEntries(encoded) } satisfies KeyRingText, null, 2)}\n`
}
