export type { AppIdentity } from './credentials.ts'
export { type SimulatedForge, type SimulatedForgeOptions, startSimulatedForge } from './start.ts'
