export type { CgroupReport, Limits } from './cgroup/index.ts'
export type { RunnerShape } from './context.ts'
export { createProcessHost, type ProcessHost, type ProcessHostOptions } from './host.ts'
export {
  type Isolation,
  type IsolationFacts,
  type IsolationReport,
  isolationReport,
  prepareIsolation,
  reachableProgram,
  type UidRange,
  unreachableFiles,
} from './isolation/index.ts'
export { HOST_MARKER, RUNNER_MARKER } from './proc/index.ts'
export { SHIM_KILLED } from './settle.ts'
export { RUN_AS, SECRET_FILE } from './start.ts'
