export { type AuditDeps, auditRules, type Compared, type Difference } from './audit.ts'
export { type AuditReport, auditLoop, auditNow } from './audit-loop.ts'
export { look, type RecoveryDeps } from './look.ts'
export type { PutOff } from './pace.ts'
export {
  createRedeliveryMemory,
  type RedeliverDeps,
  type RedeliveryMemory,
  type RedeliveryReport,
  redeliver,
  redeliverLoop,
} from './redeliver.ts'
export { type Retired, retireInstallation } from './retire.ts'
export { recoveryLoop, type SweepDeps } from './sweep.ts'
