import { describe, expect, it } from 'vitest'
import { entropy } from '../../../test/support/machine.ts'
import { createSecretIdentity, createSecrets } from './index.ts'

const never = new AbortController().signal

describe('a secret', () => {
  it('proves to be what the ledger knows its runner by, and nothing else does', async () => {
    const { secret, hash } = createSecrets(entropy).create()
    const identity = createSecretIdentity()
    expect(await identity.of('linux-1', secret, never)).toBe(hash)
    expect(await identity.of('linux-1', `${secret}x`, never)).not.toBe(hash)
  })

  it('does not say whose it is', () => {
    expect(createSecretIdentity().provesName).toBe(false)
  })
})
