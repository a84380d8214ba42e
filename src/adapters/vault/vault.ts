import { createCipheriv, createDecipheriv } from 'node:crypto'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { Entropy } from '../../ports/entropy.ts'
import type { Vault } from '../../ports/vault.ts'
import type { KeyRing } from './key-ring.ts'

const algorithm = 'aes-256-gcm'
const formatVersion = 1
const nonceBytes = 12
const tagBytes = 16
const headBytes = 1 + nonceBytes + tagBytes

/** AES-256-GCM over a key ring. Sealed bytes are: format version, nonce, tag, ciphertext. */
export function createVault(ring: KeyRing, entropy: Entropy): Vault {
  return {
    currentKeyId: ring.current,

    seal(plaintext, context) {
      const keyId = ring.current
      const nonce = entropy.bytes(nonceBytes)
      const cipher = createCipheriv(algorithm, keyOf(ring, keyId), nonce, { authTagLength: tagBytes })
      cipher.setAAD(bound(keyId, context))
      const bytes = typeof plaintext === 'string' ? Buffer.from(plaintext, 'utf8') : plaintext
      const ciphertext = Buffer.concat([cipher.update(bytes), cipher.final()])
      return {
        keyId,
        bytes: Buffer.concat([Buffer.of(formatVersion), nonce, cipher.getAuthTag(), ciphertext]),
      }
    },

    open({ keyId, bytes }, context) {
      const key = keyOf(ring, keyId)
      if (bytes.length < headBytes || bytes[0] !== formatVersion)
        throw new HoldfastError('E_KEY_WRONG', { keyId })
      const nonce = bytes.subarray(1, 1 + nonceBytes)
      const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
      decipher.setAAD(bound(keyId, context))
      decipher.setAuthTag(bytes.subarray(1 + nonceBytes, headBytes))
      try {
        return Buffer.concat([decipher.update(bytes.subarray(headBytes)), decipher.final()]).toString('utf8')
      } catch (error) {
        throw new HoldfastError('E_KEY_WRONG', { keyId }, error)
      }
    },
  }
}

function keyOf(ring: KeyRing, keyId: string): Uint8Array {
  const key = ring.keys.get(keyId)
  if (key === undefined) throw new HoldfastError('E_KEY_UNKNOWN', { keyId, known: [...ring.keys.keys()] })
  return key
}

/** The additional authenticated data: the context of the secret. Ids hold no NUL, so the parts cannot be shifted. */
function bound(keyId: string, context: string): Buffer {
  return Buffer.from(`holdfast-vault-${formatVersion}\0${keyId}\0${context}`, 'utf8')
}
