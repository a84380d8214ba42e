import type { Finding } from './finding.ts'
import { type AuditRun, findingKey } from './run.ts'

/** The difference between two runs of the same audits. */
export interface AuditChanges {
  readonly appeared: readonly Finding[]
  /** Found before, looked for again, and not found. */
  readonly gone: readonly Finding[]
  /** Found before, and not looked for this time: a fact that its class rests on could not be read. */
  readonly lost: readonly Finding[]
  /** Still there, with another severity, confidence or summary; as it is now. */
  readonly changed: readonly Finding[]
}

export function changesBetween(before: AuditRun, after: AuditRun): AuditChanges {
  const old = new Map(before.findings.map((finding) => [findingKey(finding), finding]))
  const present = new Set(after.findings.map(findingKey))
  const unjudged = new Set(after.unjudged.map((each) => each.class))
  const missing = before.findings.filter((finding) => !present.has(findingKey(finding)))
  return {
    appeared: after.findings.filter((finding) => !old.has(findingKey(finding))),
    gone: missing.filter((finding) => !unjudged.has(finding.class)),
    lost: missing.filter((finding) => unjudged.has(finding.class)),
    changed: after.findings.filter((finding) => {
      const earlier = old.get(findingKey(finding))
      return earlier !== undefined && !isSame(earlier, finding)
    }),
  }
}

function isSame(a: Finding, b: Finding): boolean {
  return a.severity === b.severity && a.confidence === b.confidence && a.summary === b.summary
}
