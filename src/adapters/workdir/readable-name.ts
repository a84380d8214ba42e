const utf8 = new TextDecoder('utf-8', { fatal: true })

/** A name or path for people: the bytes of a job, with everything escaped that is no printable text. */
export function readableName(bytes: Uint8Array): string {
  return text(bytes)
    .replaceAll('\\', '\\\\')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`)
    .replaceAll(
      /[\uE000-\uE0FF]/g,
      (sign) => `\\x${(sign.charCodeAt(0) - escapedFrom).toString(16).padStart(2, '0')}`,
    )
}

/** Bytes of names that are no UTF-8 stand in the private area until the rest is escaped. */
const escapedFrom = 0xe000

function text(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes).replaceAll(/[\uE000-\uE0FF]/g, '?')
  } catch {
    return Array.from(bytes, (byte) => String.fromCharCode(byte < 0x80 ? byte : escapedFrom + byte)).join('')
  }
}
