import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Place } from '../../program/support/place.ts'

/** Where the secrets that Holdfast makes for itself stand, as a job of the same user finds them. */
export const secretFiles = ['operator-token', 'agent-token', 'keys.json', 'postgres/password']

export interface OwnSecret {
  readonly name: string
  readonly secret: string
}

/** Every secret, also without its first characters and in base64. */
export async function ownSecretsOf({ dataDir }: Place): Promise<OwnSecret[]> {
  const texts = await Promise.all(secretFiles.map((name) => readFile(path.join(dataDir, name), 'utf8')))
  return secretFiles.flatMap((name, at) => {
    const text = (texts[at] as string).trim()
    const secrets = name.endsWith('.json') ? Object.values<string>(JSON.parse(text).keys) : [text]
    return secrets.flatMap((secret) => [
      { name, secret },
      { name: `${name} without its beginning`, secret: secret.slice(6) },
      { name: `${name} in base64`, secret: btoa(`user:${secret}`).slice(8, -4) },
    ])
  })
}
