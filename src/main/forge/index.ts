export { type ForgeGiven, type OpenForge, openForge } from './open.ts'
export { serverOf } from './server-of.ts'
export { startSimulated, webhookSecretsOf } from './simulated.ts'
