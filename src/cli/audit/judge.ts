import { type AuditReport, auditReport } from '../../api/index.ts'
import {
  type Audit,
  type AuditRun,
  type AuditScope,
  type Contract,
  type GitlabConfig,
  runAudits,
} from '../../domain/audit/index.ts'
import type { Snapshot } from '../../domain/snapshot/index.ts'
import type { Context } from '../context.ts'

/** A run of audits, and its report. */
export interface Judged {
  readonly run: AuditRun
  readonly report: AuditReport
}

/** Judges a snapshot; an earlier one of the same fleet gives rates. */
export type Judge = (snapshot: Snapshot, earlier: Snapshot | null) => Judged

export interface JudgeOrder {
  readonly audits: readonly Audit[]
  readonly contract: Contract | null
  readonly gitlabConfig: GitlabConfig | null
  readonly narrowed: AuditScope
}

export function judgeBy(order: JudgeOrder, { clock }: Context): Judge {
  const { audits, narrowed } = order
  return (snapshot, earlier) => {
    const run = runAudits({ ...order, snapshot, earlier })
    return { run, report: auditReport({ run, audits, snapshot, narrowed, now: clock.now() }) }
  }
}
