import type { Snapshot } from '../snapshot/index.ts'
import type { Contract } from './contract/contract.ts'
import type { Judgement } from './finding.ts'
import type { GitlabConfig } from './gitlab-toml/document.ts'
import type { SnapshotJoins } from './joins.ts'

/** A class of findings: a page of the docs, and what a reader must not conclude from it. */
export interface FindingClass {
  readonly name: string
  /** Of the troubleshooting guide: `E9`; the section where the guide has no entry of its own. */
  readonly entry: string
  readonly title: string
  /** True sentences that keep a reader from a wrong conclusion. */
  readonly mustNotConclude: readonly string[]
  /** Page of the docs, below docs/audits/. */
  readonly page: string
}

/** Everything that an audit may look at. */
export interface AuditInput {
  readonly snapshot: Snapshot
  /** An earlier snapshot of the same fleet, for rates; null where none was given. */
  readonly earlier?: Snapshot | null
  /** Lookups over the snapshot, made once for all audits. */
  readonly joins: SnapshotJoins
  /** The installation's own declaration; null where none was given. */
  readonly contract: Contract | null
  /** GitLab Runner's config.toml; null where none was given. */
  readonly gitlabConfig?: GitlabConfig | null
  readonly narrowed: AuditScope
}

/** The part that the user asked to look at; null: everything. */
export interface AuditScope {
  readonly labels: readonly string[] | null
  readonly namespaces: readonly string[] | null
  readonly nodes: readonly string[] | null
  readonly runner: string | null
}

/** One audit: collects nothing, judges a snapshot. */
export interface Audit {
  readonly name: string
  readonly title: string
  readonly classes: readonly FindingClass[]
  /** A file without which it judges nothing; left out where everything is audited and none was given. */
  readonly needs?: 'contract' | 'gitlab-config'
  judge(input: AuditInput): Judgement
}
