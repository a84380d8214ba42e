export { codeOf, createExclusive, readText, reasonOf, syncFolder, writeRecord, writeSynced } from './files.ts'
export { filesIn, isRunnerName, type Layout, layoutOf } from './layout.ts'
export { restoreFolder } from './restore.ts'
export type { EndingRecord, LiveRecord, RunnerRecord, StartRecord, StopRecord } from './types.ts'
