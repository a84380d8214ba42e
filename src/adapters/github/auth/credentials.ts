import type { Answer } from '../transport/call.ts'

/** How we prove who we are. Each part is read anew at each use: what a file or a secret store holds now counts. */
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

/** As whom a call is made. With a token, all of them are its owner. */
export type Identity =
  | { readonly kind: 'app' }
  | { readonly kind: 'installation'; readonly id: number }
  /** The installation at the owner of a repository, or at an enterprise. */
  | { readonly kind: 'owner'; readonly owner: string }
  | { readonly kind: 'enterprise'; readonly slug: string }

/** What one call proves itself with. */
export interface Proof {
  readonly bearer: string
  /** Whose budget it uses, and whose view of the forge it gets. */
  readonly account: string
  /**
   * Where a fresh proof can be had if this one is not taken any more: forgets this one, and says whether another
   * is worth trying after such an answer.
   */
  readonly forget: ((answer: Answer) => boolean) | null
}
