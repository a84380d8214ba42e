import { describe, expect, it } from 'vitest'
import { entropy } from '../../../test/support/machine.ts'
import { createSecretIdentity, createSecrets } from './index.ts'

const never = new AbortController().signal

describe('a secret', () => {
  it('has the hash by which the ledger knows its runner, and no other secret has it', async () => {
    const { secret, hash } = createSecrets(entropy).create()
    const identity = createSecretIdentity()
    expect(await identity.of('linux-1', secret, never)).toBe(hash)
    expect(await identity.of('linux-1', `${secret}x`, never)).not.toBe(hash)
  })

  it('does not reveal its runner', () => {
    expect(createSecretIdentity().provesName).toBe(false)
  })
})
