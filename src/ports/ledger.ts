import type { AttemptLedger } from './ledger/attempts.ts'
import type { BudgetLedger } from './ledger/budgets.ts'
import type { LedgerClock } from './ledger/clock.ts'
import type { CursorLedger } from './ledger/cursors.ts'
import type { DeathLedger } from './ledger/deaths.ts'
import type { DecisionLedger } from './ledger/decisions.ts'
import type { DeliveryLedger } from './ledger/deliveries.ts'
import type { HostSampleLedger } from './ledger/host-samples.ts'
import type { HostLedger } from './ledger/hosts.ts'
import type { IncidentLedger } from './ledger/incidents.ts'
import type { InstallationLedger } from './ledger/installations.ts'
import type { JobEventLedger } from './ledger/job-events.ts'
import type { JobReader } from './ledger/job-reader.ts'
import type { JobLedger } from './ledger/jobs.ts'
import type { PoolLedger } from './ledger/pools.ts'
import type { RecoveryLedger } from './ledger/recovery.ts'
import type { RetentionLedger } from './ledger/retention.ts'
import type { RunnerReader } from './ledger/runner-reader.ts'
import type { RunnerLedger } from './ledger/runners.ts'
import type { LedgerWakes } from './ledger/wakes.ts'

export * from './ledger/attempts.ts'
export * from './ledger/budgets.ts'
export * from './ledger/cause.ts'
export * from './ledger/clock.ts'
export * from './ledger/cursors.ts'
export * from './ledger/deaths.ts'
export * from './ledger/decisions.ts'
export * from './ledger/deliveries.ts'
export * from './ledger/files.ts'
export * from './ledger/host-samples.ts'
export * from './ledger/hosts.ts'
export * from './ledger/incidents.ts'
export * from './ledger/installations.ts'
export * from './ledger/job-events.ts'
export * from './ledger/job-reader.ts'
export * from './ledger/jobs.ts'
export * from './ledger/pools.ts'
export * from './ledger/recovery.ts'
export * from './ledger/retention.ts'
export * from './ledger/runner-reader.ts'
export * from './ledger/runners.ts'
export * from './ledger/unreadable.ts'
export * from './ledger/wakes.ts'

/**
 * The ledger: one row for every job from first sight to a proven end, and one for every attempt to run it. A caller
 * declares the parts that it uses; only the wiring knows the whole.
 *
 * Contract of every part, held by one suite against every implementation:
 * - Each method is one transaction: all of it or nothing, and its timeline rows with it.
 * - Deadlines are judged by the ledger's own clock; callers pass durations, never times of theirs.
 * - A method that throws `E_LEDGER_UNAVAILABLE` may have taken effect. Every write is therefore safe to repeat.
 * - A write that names a handle changes nothing once that attempt has ended, and gives `lost`.
 */
export type Ledger = LedgerClock &
  PoolLedger &
  DeliveryLedger &
  CursorLedger &
  IncidentLedger &
  BudgetLedger &
  JobEventLedger &
  JobLedger &
  JobReader &
  RunnerLedger &
  RunnerReader &
  HostLedger &
  AttemptLedger &
  InstallationLedger &
  DeathLedger &
  HostSampleLedger &
  RecoveryLedger &
  DecisionLedger &
  RetentionLedger &
  LedgerWakes
