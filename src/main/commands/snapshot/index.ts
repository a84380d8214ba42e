export { collect } from './collect.ts'
export { readSnapshotFile, writeSnapshotFile } from './files.ts'
