export { auditLoop, auditRules } from './audit.ts'
export { look, type RecoveryDeps } from './look.ts'
export { recoveryLoop } from './sweep.ts'
