/** The identity of this runner: the content of the `.runner` file of Gitea's own runner program. */
export interface Credentials {
  readonly uuid: string
  readonly token: string
  readonly name: string
  readonly address: string
  readonly labels: readonly string[]
}

/** The credentials in base64 as Holdfast hands them out; null where the text is not such. */
export function decodeCredentials(encoded: string): Credentials | null {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(encoded.trim(), 'base64').toString('utf8'))
  } catch {
    return null
  }
  return isCredentials(value) ? { ...value, address: value.address.replace(/\/+$/, '') } : null
}

function isCredentials(value: unknown): value is Credentials {
  if (typeof value !== 'object' || value === null) return false
  const { uuid, token, name, address, labels } = value as Record<string, unknown>
  const texts = [uuid, token, name, address].every((text) => typeof text === 'string' && text !== '')
  return texts && Array.isArray(labels) && labels.every((label) => typeof label === 'string')
}
