export type { ServerExit } from './server-process.ts'
export { type Embedded, type EmbeddedOptions, startEmbedded } from './start.ts'
