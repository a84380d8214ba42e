import type { CredentialKind } from '../../../domain/snapshot/index.ts'
import type { ApiResponse } from '../transport/call.ts'

/** The configured credentials. Each part is read again at each use, so that a rotated file takes effect at once. */
export type Credentials =
  | { readonly kind: 'token'; readonly token: () => string }
  | {
      readonly kind: 'app'
      /** The App's id or its client id. */
      readonly id: () => string
      /** PEM. */
      readonly privateKey: () => string
      /** Only this installation is served; without it, all that the App has. */
      readonly installationId?: number | undefined
    }

/** The kind of the credentials, by the beginning of a token where it is one. */
export function credentialKindOf(credentials: Credentials): CredentialKind {
  if (credentials.kind === 'app') return 'app'
  const token = credentials.token()
  if (/^(?:ghp_|github_pat_)/.test(token)) return 'personal-token'
  return token.startsWith('ghs_') ? 'app' : 'unknown'
}

/** The identity of a call. With a token, each of them is the token's owner. */
export type Identity =
  | { readonly kind: 'app' }
  | { readonly kind: 'installation'; readonly id: number }
  /** The installation at the owner of a repository, or at an enterprise. */
  | { readonly kind: 'owner'; readonly owner: string }
  | { readonly kind: 'enterprise'; readonly slug: string }

/** The credentials of one call. */
export interface CallCredentials {
  readonly bearer: string
  /** The account whose budget it uses and whose view of the forge it gets. */
  readonly account: string
  /**
   * Forgets rejected credentials, and returns whether new ones are worth a try after such an answer; null where
   * there are no others.
   */
  readonly forget: ((answer: ApiResponse) => boolean) | null
}
