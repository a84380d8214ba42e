import { createHmac } from 'node:crypto'
import type { SecretHashes } from '../../../snapshot/index.ts'
import type { Base } from '../../base.ts'
import { readSnapshotKey } from '../../data-folder/index.ts'

const keyBytes = 32
/** Half of SHA-256 in hex: two values that differ never share one. */
const hashChars = 32
const scopeChars = 16

/**
 * Hashes by the key of the data folder, so that snapshots of this folder can be compared. Where the folder cannot keep
 * one, the key is random and forgotten: its hashes are comparable within one snapshot alone, and the scope says so.
 */
export async function secretHashes(base: Pick<Base, 'config' | 'entropy'>): Promise<SecretHashes> {
  const kept = await readSnapshotKey(base)
  const key = kept ?? base.entropy.bytes(keyBytes)
  const hashed = (purpose: string, value: Uint8Array) =>
    createHmac('sha256', key).update(`holdfast ${purpose}\0`).update(value).digest('hex')
  const id = hashed('snapshot scope', new Uint8Array()).slice(0, scopeChars)
  return {
    scope: kept === null ? `this-snapshot-alone-${id}` : `data-folder-${id}`,
    hash: (value) => hashed('secret value', value).slice(0, hashChars),
  }
}
