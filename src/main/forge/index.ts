export { type ForgeGiven, installationOf, type OpenForge, openForge } from './open.ts'
export { startSimulated, webhookSecretsOf } from './simulated.ts'
