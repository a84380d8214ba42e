export { type AuditDeps, auditRules } from './audit.ts'
export { auditLoop, auditNow } from './audit-loop.ts'
export { look, type RecoveryDeps } from './look.ts'
export { recoveryLoop } from './recovery-loop.ts'
export {
  createRedeliveryMemory,
  type RedeliveryMemory,
  redeliver,
  redeliverLoop,
} from './redeliver.ts'
export { retireInstallation } from './retire.ts'
