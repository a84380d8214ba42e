export { folderError } from './files.ts'
export { type Lock, takeLock } from './lock.ts'
export type { ServerExit } from './server-process.ts'
export { type Embedded, type EmbeddedOptions, startEmbedded } from './start.ts'
