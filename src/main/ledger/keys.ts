import { stat } from 'node:fs/promises'
import path from 'node:path'
import { createVault, type KeyRing, keyRingOf, loadOrCreateKeyRing } from '../../adapters/vault/index.ts'
import { done, type Loop } from '../../loop/index.ts'
import type { Ledger } from '../../ports/ledger.ts'
import type { Vault } from '../../ports/vault.ts'
import type { Base } from '../base.ts'

const reloadEveryMs = 5_000
const resealBatch = 100

export interface Keys {
  readonly vault: Vault
  /** Notices a rotated key file and seals what is stored with the new key; the old ones keep opening until then. */
  resealLoop(ledger: Ledger): Loop
}

/** The file of keys of this installation; servers that share a ledger get theirs from the configuration instead. */
export function keyFile({ config }: Base): string {
  return path.join(config.dataDir, 'keys.json')
}

export async function openKeys(base: Base): Promise<Keys> {
  let vault = createVault(await ringOf(base), base.entropy)
  let version = await versionOf(base)
  let pending = true
  return {
    vault: {
      get currentKeyId() {
        return vault.currentKeyId
      },
      seal: (plaintext, context) => vault.seal(plaintext, context),
      open: (sealed, context) => vault.open(sealed, context),
    },
    resealLoop: (ledger) => ({
      name: 'keys',
      resyncMs: reloadEveryMs,
      wokenBy: () => false,
      async pass() {
        const found = await versionOf(base)
        if (found !== version) {
          vault = createVault(await ringOf(base), base.entropy)
          version = found
          pending = true
          base.log.info({ current: vault.currentKeyId }, 'the key ring was read again')
        }
        if (!pending) return done
        const resealed = await ledger.resealJits(
          (jit, handle) =>
            jit.keyId === vault.currentKeyId ? jit : vault.seal(vault.open(jit, handle), handle),
          resealBatch,
        )
        pending = resealed === resealBatch
        if (resealed > 0)
          base.log.info({ resealed, key: vault.currentKeyId }, 'stored secrets were sealed again')
        return done
      },
    }),
  }
}

async function ringOf(base: Base): Promise<KeyRing> {
  const ring = await readRing(base)
  const keys = [...ring.keys.values()].map((key) => Buffer.from(key))
  base.redactor.learn(keys.flatMap((key) => [key.toString('base64'), key.toString('hex')]))
  return ring
}

async function readRing(base: Base): Promise<KeyRing> {
  const { current, ring } = base.config.keys
  if (current === undefined) return loadOrCreateKeyRing(keyFile(base), base.entropy)
  return keyRingOf({ current, keys: ring }, 'the setting keys.ring')
}

/** Changes whenever the key file is replaced. */
async function versionOf(base: Base): Promise<string> {
  if (base.config.keys.current !== undefined) return 'configured'
  const { mtimeMs, ino } = await stat(keyFile(base))
  return `${ino} ${mtimeMs}`
}
