import { createHash, timingSafeEqual } from 'node:crypto'
import type { Entropy } from '../../ports/entropy.ts'
import type { Secrets } from '../../ports/secrets.ts'

const secretBytes = 32

/** Secrets of 256 random bits; a plain hash suffices, because there is nothing to guess. */
export function createSecrets(entropy: Entropy): Secrets {
  return {
    create() {
      const secret = Buffer.from(entropy.bytes(secretBytes)).toString('base64url')
      return { secret, hash: digest(secret).toString('hex') }
    },
    matches(secret, hash) {
      const expected = Buffer.from(hash, 'hex')
      const given = digest(secret)
      return expected.length === given.length && timingSafeEqual(expected, given)
    },
  }
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
