export { loadOrCreateKeyRing, rotateKey } from './key-file.ts'
export { type KeyRing, keyRingOf } from './key-ring.ts'
export { createSecrets } from './secrets.ts'
export { createVault } from './vault.ts'
