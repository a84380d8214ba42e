/** A secret as it may be stored: encrypted, with the id of the key that opens it. */
export interface Sealed {
  readonly keyId: string
  readonly bytes: Uint8Array
}

/** Encrypts what must not be read from the ledger. The context is bound to it: opened under another, it fails. */
export interface Vault {
  readonly currentKeyId: string
  seal(plaintext: string, context: string): Sealed
  /** Throws `E_KEY_UNKNOWN` or `E_KEY_WRONG`; nothing is lost by either. */
  open(sealed: Sealed, context: string): string
}
