import { appKeys, tokenKey } from '../../audit/credentials/credential.ts'
import { keyOf, type ObjectRef, type SecretFact } from '../../snapshot/index.ts'
import { fail, pass, type Verdict } from '../gate.ts'
import type { SecretReading } from '../pull-secrets/facts.ts'

/** The keys that ARC reads of a credential; a copy has the same of them, or none. */
export const credentialKeys: readonly string[] = [tokenKey, ...appKeys]

/** Two copies of one credential, read at one time. */
export interface CredentialCopies {
  readonly source: SecretReading | null
  readonly target: SecretReading | null
}

/** Hashes of what ARC reads of it, by key; null: it has no such key, or one whose hash is not known. */
export function credentialHash({ keys }: SecretFact): string | null {
  const own = keys.filter(({ name }) => credentialKeys.includes(name))
  if (own.length === 0 || own.some(({ hash }) => hash === null)) return null
  return own
    .map(({ name, hash }) => `${hash} in ${name}`)
    .sort()
    .join(', ')
}

/** Hashes for people; the whole ones stand in the plan. */
export function shortHashes(hashes: string | null): string {
  return hashes?.replace(/\b([0-9a-f]{8})[0-9a-f]* in /g, '$1 in ') ?? 'none'
}

/** Whether both copies are the same to ARC. */
export function judgeSameCredential({ source, target }: CredentialCopies): Verdict {
  const [from, to] = [source, target].map((each) => (each === null ? null : credentialHash(each.secret)))
  const proof = `proven copy ${shortHashes(from ?? null)}, other copy ${shortHashes(to ?? null)}`
  return { passed: from != null && from === to, proof }
}

/** Whether ARC can authenticate with it, by the names of its keys. */
export function judgeKeys(reading: SecretReading | null): Verdict {
  if (reading === null) return fail('there is no such Secret any more')
  const names = reading.secret.keys.map(({ name }) => name)
  const lacking = appKeys.filter((name) => !names.includes(name))
  if (names.includes(tokenKey)) return pass(`it has ${tokenKey}`)
  return lacking.length === 0
    ? pass(`it has ${appKeys.join(', ')}`)
    : fail(`it has no ${lacking.join(', no ')}`)
}

/** Whether nothing but the credential is in a copy that is written over. */
export function judgeNothingLost(target: SecretReading | null, source: SecretReading | null): Verdict {
  if (target === null) return pass('there is no other copy')
  const { keys, type } = target.secret
  const others = keys.map(({ name }) => name).filter((name) => !credentialKeys.includes(name))
  if (type !== source?.secret.type) return fail(`the other copy is of the type ${type}`)
  return { passed: others.length === 0, proof: `keys that ARC does not read: ${others.join(', ') || 'none'}` }
}

/** Whether a Secret is in exactly this state. */
export function judgeSecretState(
  found: SecretReading | null,
  { uid, resourceVersion }: { readonly uid: string; readonly resourceVersion: string },
): Verdict {
  if (found === null) return fail('there is no such Secret any more')
  const { secret } = found
  return {
    passed: secret.uid === uid && secret.resourceVersion === resourceVersion,
    proof: `uid ${secret.uid}, resourceVersion ${secret.resourceVersion}`,
  }
}

/** Whether no set has the copy that is written over as its own credential. */
export function judgeUnused(users: readonly ObjectRef[]): Verdict {
  return users.length === 0
    ? pass('no set names the other copy')
    : fail(`named as their own credential by ${users.map(keyOf).join(', ')}`)
}
