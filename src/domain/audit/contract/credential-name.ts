import type { ScaleSetFact } from '../../snapshot/index.ts'

/** The name that a set gives as its credential: that of a Secret, or of an entry in a key vault. */
export function credentialNameOf({ credentialSecret, credentialVault }: ScaleSetFact): string | null {
  return credentialSecret ?? credentialVault?.entry ?? null
}
