import { reasonOf } from '../reason.ts'
import type { Snapshot } from '../snapshot/index.ts'
import type { Audit, AuditScope } from './audit.ts'
import type { Contract } from './contract/contract.ts'
import { type AuditTable, type Finding, type Judgement, severities, type Unjudged } from './finding.ts'
import type { GitlabConfig } from './gitlab-toml/document.ts'
import { joinSnapshot } from './joins.ts'
import { withheldRaises } from './raise/withheld.ts'
import { withRemedy } from './remedies.ts'
import { subjectFilter } from './scope.ts'

export interface AuditOrder {
  readonly audits: readonly Audit[]
  readonly snapshot: Snapshot
  /** An earlier one of the same fleet, for rates; null where there is none. */
  readonly earlier: Snapshot | null
  readonly contract: Contract | null
  readonly gitlabConfig?: GitlabConfig | null
  readonly narrowed: AuditScope
}

/** An audit that broke: a defect of ours, and nothing about the fleet. */
interface AuditFailure {
  readonly audit: string
  readonly why: string
}

/** All that the audits concluded from one snapshot, worst first. */
export interface AuditRun {
  readonly findings: readonly Finding[]
  readonly unjudged: readonly Unjudged[]
  readonly tables: readonly (AuditTable & { readonly audit: string })[]
  readonly failures: readonly AuditFailure[]
}

/** Judges one snapshot by several audits. One that breaks leaves its classes unjudged, and never stops the rest. */
export function runAudits({ audits, ...order }: AuditOrder): AuditRun {
  const { snapshot, narrowed } = order
  const joins = joinSnapshot(snapshot)
  const isInside = subjectFilter(narrowed, joins)
  const failures: AuditFailure[] = []
  const judged = audits.map((audit) => {
    try {
      return { audit: audit.name, ...audit.judge({ ...order, joins }) }
    } catch (error) {
      failures.push({ audit: audit.name, why: reasonOf(error) })
      return { audit: audit.name, ...brokenJudgement(audit, error) }
    }
  })
  return {
    findings: withheldRaises(
      withoutRepeats(
        judged
          .flatMap(({ findings }) => findings)
          .filter(({ subject }) => isInside(subject))
          .sort(worstFirst),
      ),
    ).map((finding) => withRemedy(finding, joins)),
    unjudged: distinct(judged.flatMap(({ unjudged }) => unjudged)),
    tables: judged.flatMap(({ audit, tables }) => tables.map((table) => ({ audit, ...table }))),
    failures,
  }
}

/** `findings`: something is wrong. `clean`: all was judged, and nothing is. `unjudged`: nothing is, as far as could be judged. */
export type AuditOutcome = 'clean' | 'findings' | 'unjudged'

/** The outcome of a run, or of one class of it. */
export function outcomeOf(
  { findings, unjudged }: Pick<AuditRun, 'findings' | 'unjudged'>,
  onlyClass: string | null = null,
): AuditOutcome {
  const counts = (each: { readonly class: string }): boolean => onlyClass === null || each.class === onlyClass
  if (findings.some(counts)) return 'findings'
  return unjudged.some(counts) ? 'unjudged' : 'clean'
}

/** The identity of a finding: two with the same key are one. */
export function findingKey({ class: name, subject }: Pick<Finding, 'class' | 'subject'>): string {
  return `${name} ${subject.kind}/${subject.namespace ?? ''}/${subject.name}`
}

function brokenJudgement({ classes }: Audit, error: unknown): Judgement {
  const unjudged = classes.map(({ name }) => ({
    class: name,
    why: `the audit failed: ${reasonOf(error)}`,
    needs: 'report this defect with the snapshot (holdfast snapshot save)',
  }))
  return { findings: [], unjudged, tables: [] }
}

/** By severity, then confidence, then name. */
function worstFirst(a: Finding, b: Finding): number {
  return rankOf(a) - rankOf(b) || compareText(findingKey(a), findingKey(b))
}

function rankOf({ severity, confidence }: Finding): number {
  return severities.indexOf(severity) * 2 + (confidence === 'proven' ? 0 : 1)
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** Of sorted findings with the same key the worst stays, with the evidence of all. */
function withoutRepeats(findings: readonly Finding[]): Finding[] {
  const byKey = new Map<string, Finding>()
  for (const finding of findings) {
    const key = findingKey(finding)
    const first = byKey.get(key)
    byKey.set(
      key,
      first === undefined
        ? finding
        : { ...first, evidence: distinct([...first.evidence, ...finding.evidence]) },
    )
  }
  return [...byKey.values()]
}

function distinct<T>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()]
}
