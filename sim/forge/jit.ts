/** The content of a runner's configuration: its identity, the address of its forge, how often to report. */
export interface JitConfig {
  readonly url: string
  readonly jit: string
  readonly name: string
  readonly renewEveryMs: number
  readonly pollHoldMs: number
}

/** The configuration as one opaque word, as the forge hands it out. */
export function encodeJit(config: JitConfig): string {
  return Buffer.from(JSON.stringify(config)).toString('base64')
}

/** The configuration, or null where the text is not one. */
export function decodeJit(encoded: string): JitConfig | null {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(encoded.trim(), 'base64').toString('utf8'))
  } catch {
    return null
  }
  return isJitConfig(value) ? value : null
}

function isJitConfig(value: unknown): value is JitConfig {
  if (typeof value !== 'object' || value === null) return false
  const { url, jit, name, renewEveryMs, pollHoldMs } = value as Record<string, unknown>
  const texts = [url, jit, name].every((text) => typeof text === 'string' && text !== '')
  return texts && [renewEveryMs, pollHoldMs].every((ms) => typeof ms === 'number' && ms > 0)
}
