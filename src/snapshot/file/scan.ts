import { itemsMax, partsMax } from '../../api/index.ts'

/** Nesting of JSON; a snapshot's own is ten. */
const depthMax = 32
/** Values of JSON: 10,000 pods with everything that belongs to them are about four million. */
const valuesMax = 12_000_000
/** Different names of fields. The parser keeps about 1 KiB for each; a fleet has some hundred. */
const namesMax = 100_000

const [quote, backslash, comma, colon, space] = [0x22, 0x5c, 0x2c, 0x3a, 0x20]
const [openList, closeList, openFields, closeFields] = [0x5b, 0x5d, 0x7b, 0x7d]

/** An excess of JSON text over what a snapshot may have. */
export interface Excess {
  readonly what: string
  readonly max: string
}

/**
 * Looks over the bytes of JSON before anything is made of them: a few hundred megabytes of brackets or names would fill
 * the memory of the machine as objects.
 */
export function excessOf(json: Uint8Array): Excess | null {
  const names = new Set<number>()
  /** By depth: how many more parts the list or object that is open there may have. */
  const room = new Int32Array(depthMax + 1).fill(itemsMax)
  let depth = 0
  let values = 1
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at]
    if (byte === quote) {
      const end = stringEnd(json, at + 1)
      if (isName(json, end)) names.add(hashOf(json, at + 1, end))
      at = end
    } else if (byte === comma) {
      values += 1
      room[depth] = (room[depth] ?? 0) - 1
    } else if (byte === openList || byte === openFields) {
      values += 1
      depth += 1
      if (depth > depthMax) return { what: 'its values are nested deeper', max: `${depthMax} levels` }
      room[depth] = byte === openList ? itemsMax : partsMax
    } else if (byte === closeList || byte === closeFields) depth = Math.max(0, depth - 1)
    if ((room[depth] ?? 0) <= 0) return { what: 'a list or an object has more parts', max: partsText }
    if (names.size > namesMax) return excess('it has more different names', namesMax)
    if (values > valuesMax) return excess('it has more values', valuesMax)
  }
  return null
}

const partsText = `${text(itemsMax)} items or ${text(partsMax)} fields`

function excess(what: string, max: number): Excess {
  return { what, max: text(max) }
}

function text(count: number): string {
  return count.toLocaleString('en')
}

function stringEnd(json: Uint8Array, from: number): number {
  let at = json.indexOf(quote, from)
  while (at !== -1 && isEscaped(json, at, from)) at = json.indexOf(quote, at + 1)
  return at === -1 ? json.length : at
}

/** Whether an odd number of backslashes stands before it. */
function isEscaped(json: Uint8Array, at: number, from: number): boolean {
  let before = at - 1
  while (before >= from && json[before] === backslash) before -= 1
  return (at - before) % 2 === 0
}

/** Whether the text that ends here names a field. */
function isName(json: Uint8Array, end: number): boolean {
  let at = end + 1
  while ((json[at] ?? colon) <= space) at += 1
  return json[at] === colon
}

/** FNV-1a. */
function hashOf(json: Uint8Array, from: number, end: number): number {
  let hash = 0x811c9dc5
  for (let at = from; at < end; at += 1) hash = Math.imul(hash ^ (json[at] ?? 0), 0x01000193)
  return hash
}
