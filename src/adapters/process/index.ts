export type { Limits } from './cgroup/index.ts'
export type { RunnerShape } from './context.ts'
export { createProcessHost, type ProcessHost } from './host.ts'
export {
  findSharedUser,
  type Isolation,
  type IsolationReport,
  isolationReport,
  prepareIsolation,
  reachableProgram,
  type UidRange,
  unreachableFiles,
} from './isolation/index.ts'

export { shimKilled } from './settle.ts'
