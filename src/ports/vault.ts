/** A secret as it is stored; the key's id is stored with the bytes, so that keys can be changed. */
export interface Sealed {
  readonly keyId: string
  readonly bytes: Uint8Array
}

/** Keeps secrets unreadable in the ledger. */
export interface Vault {
  /** Under which key new secrets are sealed; rows with another one are due for re-sealing. */
  readonly currentKeyId: string
  /** `context` (the attempt's handle) is bound in: the bytes open nowhere else. */
  seal(plaintext: Uint8Array | string, context: string): Sealed
  /** Throws E_KEY_UNKNOWN or E_KEY_WRONG; the sealed bytes stay as they are. */
  open(sealed: Sealed, context: string): string
}
