/** The encodings of a secret in text: plain, URL, JSON, hexadecimal, and base64 at any offset. */
export function spellings(secret: string): string[] {
  const plain = secret.trim()
  const bytes = new TextEncoder().encode(plain)
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const all = [plain, inUrl(plain), JSON.stringify(plain).slice(1, -1), hex, ...inBase64(bytes)]
  return [...new Set(all)]
}

function inUrl(value: string): string {
  try {
    return encodeURIComponent(value)
  } catch {
    return value // half a character, which no URL can hold
  }
}

const bitsOfByte = 8
const bitsOfDigit = 6

/**
 * The digits that depend on the secret alone: base64 codes three bytes at a time, so they differ by how many bytes stand
 * before it, and the digits at both ends hold bits of its neighbours.
 */
function inBase64(bytes: Uint8Array): string[] {
  const standard = [0, 1, 2].map((before) => {
    const padded = new Uint8Array(before + bytes.length)
    padded.set(bytes, before)
    const from = Math.ceil((before * bitsOfByte) / bitsOfDigit)
    const to = Math.floor((padded.length * bitsOfByte) / bitsOfDigit)
    return btoa(Array.from(padded, (byte) => String.fromCharCode(byte)).join('')).slice(from, to)
  })
  return [...standard, ...standard.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))]
}
