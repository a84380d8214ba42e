import type { CredentialKind, ObjectRef, ScaleSetFact, SecretFact } from '../../snapshot/index.ts'
import { keyOf } from '../joins.ts'

/** The key names that ARC reads. */
export const tokenKey = 'github_token'
export const appKeys = ['github_app_id', 'github_app_installation_id', 'github_app_private_key'] as const

/** The Secret that scale sets name as their credential. */
export interface Credential {
  readonly ref: ObjectRef
  /** Null where it is not listed. */
  readonly secret: SecretFact | null
  readonly kind: CredentialKind
  readonly sets: readonly ScaleSetFact[]
}

/** Credentials that spend from one budget: the same Secret, or the same token or installation in several. */
export interface SharedCredential {
  /** The first of its Secrets, by which it is named. */
  readonly ref: ObjectRef
  readonly kind: CredentialKind
  readonly members: readonly Credential[]
  readonly sets: readonly ScaleSetFact[]
}

/** The credentials of all scale sets. */
export function credentialsOf(
  sets: readonly ScaleSetFact[],
  secretByKey: ReadonlyMap<string, SecretFact>,
): readonly Credential[] {
  const users = Map.groupBy(
    sets.filter((set) => set.credentialSecret !== null),
    (set) => keyOf({ namespace: set.namespace, name: set.credentialSecret as string }),
  )
  return [...users].map(([key, sharing]) => {
    const secret = secretByKey.get(key) ?? null
    const { namespace, credentialSecret } = sharing[0] as ScaleSetFact
    return {
      ref: { namespace, name: credentialSecret as string },
      secret,
      kind: secret === null ? 'unknown' : kindOf(secret),
      sets: sharing,
    }
  })
}

/** The blast radius of each credential. */
export function sharedCredentials(credentials: readonly Credential[]): readonly SharedCredential[] {
  return [...Map.groupBy(credentials, identityOf).values()].map((members) => {
    const { ref, kind } = members[0] as Credential
    return { ref, kind, members, sets: members.flatMap(({ sets }) => sets) }
  })
}

/** The name under which its budget is listed. */
export function credentialName(ref: ObjectRef): string {
  return ref.namespace === '' ? ref.name : keyOf(ref)
}

/** The scale sets in the middle of a sentence: by name where there is one. */
export function setsText(sets: readonly ScaleSetFact[]): string {
  if (sets.length === 0) return 'Holdfast itself'
  return sets.length === 1 ? `scale set ${sets.map(keyOf).join()}` : `${sets.length} scale sets`
}

/** By the names of its keys alone. */
function kindOf({ keys }: SecretFact): CredentialKind {
  const names = new Set(keys.map(({ name }) => name))
  if (names.has(tokenKey)) return 'personal-token'
  return [...names].some((name) => name.startsWith('github_app_')) ? 'app' : 'unknown'
}

/** Equal for credentials that spend from one budget. Without hashes a Secret is equal to itself only. */
function identityOf({ ref, secret, kind }: Credential): string {
  const identifying = kind === 'personal-token' ? [tokenKey] : appKeys.slice(0, 2)
  const hashes = identifying.map((name) => secret?.keys.find((key) => key.name === name)?.hash ?? null)
  return kind === 'unknown' || hashes.includes(null) ? `secret ${keyOf(ref)}` : `${kind} ${hashes.join(' ')}`
}
