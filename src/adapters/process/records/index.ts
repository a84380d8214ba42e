export { createExclusive, writeRecord, writeSynced } from './files.ts'
export { filesIn, isRunnerName, type Layout, layoutOf } from './layout.ts'
export { restoreFolder } from './restore.ts'
export { type LiveRecord, type RunnerRecord, type StartRecord, type StopRecord, userIn } from './types.ts'
