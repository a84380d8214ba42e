export { type SyncDeps, syncLoop } from './controller.ts'
