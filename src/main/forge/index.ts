export { type ForgeGiven, type OpenForge, openForge } from './open.ts'
export { serverOf } from './server-of.ts'
export { simulatedHost, startSimulated, webhookSecretsOf } from './simulated.ts'
