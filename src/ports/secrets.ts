/** Secrets by which local runners prove who they are. Only the hash is stored. */
export interface Secrets {
  create(): { readonly secret: string; readonly hash: string }
  /** Compares in constant time. */
  matches(secret: string, hash: string): boolean
}
