export { type NodeFilesystem, type NodeFilesystems, nodeFilesystems } from './node-filesystems.ts'
export { type Reading, readingsOf } from './reading.ts'
export { type Runway, runwaysOf } from './runway.ts'
