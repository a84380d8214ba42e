export { createAgent } from './agent.ts'
export { findHierarchies } from './cgroup/hierarchies.ts'
export type { AgentSettings } from './settings.ts'
