export { type Agent, type AgentDeps, type AgentStatus, createAgent } from './agent.ts'
export { findHierarchies } from './cgroup/hierarchies.ts'
export { type AgentSettings, sampleMsLeast, sampleMsMost } from './settings.ts'
