import type { FindingClass } from '../audit.ts'
import type { Confidence, Finding, FindingEvidence, Severity } from '../finding.ts'
import { findingOf } from '../judging.ts'
import type { GitlabConfig } from './document.ts'

/** Something wrong at one line of the file. */
export interface Problem {
  readonly class: FindingClass
  readonly severity: Severity
  readonly line: number
  /** The key with the tables around it: `runners.kubernetes.memory_limit`. */
  readonly path: string
  /** A sentence about what GitLab Runner makes of it. */
  readonly summary: string
  /** A sentence about what to write instead. */
  readonly fix: string
  readonly confidence?: Confidence
  readonly evidence?: readonly FindingEvidence[]
}

/** A problem as a finding: its subject is `file:line`. */
export function findingAt({ file }: GitlabConfig, problem: Problem): Finding {
  const { severity, line, path, summary, fix, confidence = 'proven', evidence = [] } = problem
  return findingOf(problem.class, {
    severity,
    subject: { kind: 'config', namespace: null, name: `${file}:${line}` },
    confidence,
    summary,
    evidence: [{ source: 'file', at: null, text: `${file}:${line}: ${path}` }, ...evidence],
    nextAllowedAction: {
      kind: 'person',
      text: `${fix} Change the source of the file, render it, and judge it again before it is applied.`,
      command: null,
    },
  })
}
