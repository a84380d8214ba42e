export { type SimulatedForge, type SimulatedForgeOptions, startSimulatedForge } from './start.ts'
