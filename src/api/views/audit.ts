import {
  type Audit,
  type AuditRun,
  type AuditScope,
  type Finding,
  type FindingClass,
  outcomeOf,
} from '../../domain/audit/index.ts'
import type { Snapshot } from '../../domain/snapshot/index.ts'
import type { Instant } from '../../domain/time.ts'
import type { ApiFinding, AuditReport } from '../contracts/audit.ts'
import { iso, isoOrNull } from './time.ts'

export interface AuditViewOrder {
  readonly run: AuditRun
  readonly audits: readonly Audit[]
  readonly snapshot: Snapshot
  readonly narrowed: AuditScope
  readonly now: Instant
}

/** A run of audits as programs read it. */
export function auditReport({ run, audits, snapshot, narrowed, now }: AuditViewOrder): AuditReport {
  const { id, takenAt, clusterName, program } = snapshot
  return {
    version: 1,
    at: iso(now),
    snapshot: { id, takenAt: iso(takenAt), cluster: clusterName, program },
    audits: audits.map(({ name }) => name),
    scope: structuredClone(narrowed) as AuditReport['scope'],
    outcome: outcomeOf(run),
    findings: findingViews(run.findings, audits),
    unjudged: [...run.unjudged],
    failures: [...run.failures],
    tables: run.tables.map((table) => ({
      ...table,
      columns: [...table.columns],
      rows: table.rows.map((row) => [...row]),
    })),
  }
}

/** Findings with the texts of their classes. */
export function findingViews(findings: readonly Finding[], audits: readonly Audit[]): ApiFinding[] {
  return classifiedViews(
    findings,
    audits.flatMap((audit) => audit.classes),
  )
}

/** The same for classes of no audit of snapshots. */
export function classifiedViews(findings: readonly Finding[], known: readonly FindingClass[]): ApiFinding[] {
  const classes = new Map(known.map((each) => [each.name, each]))
  return findings.map((found) => {
    const { title = found.class, page } = classes.get(found.class) ?? {}
    return {
      ...found,
      title,
      subject: { ...found.subject },
      evidence: found.evidence.map((each) => ({ ...each, at: isoOrNull(each.at) })),
      mustNotConclude: [...found.mustNotConclude],
      nextAllowedAction: { ...found.nextAllowedAction },
      page: page === undefined ? null : `docs/audits/${page}`,
    }
  })
}
