export { folderError } from './files.ts'
export { type Lock, takeLock } from './lock.ts'
export { identityOf, isAlive } from './process-identity.ts'

export { type Embedded, startEmbedded } from './start.ts'
