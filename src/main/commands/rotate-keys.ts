import { rotateKey } from '../../adapters/vault/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { Config } from '../../platform/config/index.ts'
import { createBase } from '../base.ts'
import { keyFile } from '../ledger/index.ts'

/** Adds a key to the file; a running Holdfast notices it and seals what is stored with it. */
export async function rotateKeys(config: Config): Promise<{ readonly keyId: string }> {
  if (config.keys.current !== undefined) throw new HoldfastError('E_KEYS_CONFIGURED')
  const base = createBase(config)
  const { current } = await rotateKey(keyFile(base), base.entropy)
  return { keyId: current }
}
