export type { Audit, AuditScope, FindingClass } from './audit.ts'
export { type AuditChanges, changesBetween } from './changes.ts'
export {
  type Contract,
  type DeclaredContainer,
  type DeclaredLane,
  type LabelledImage,
  type LaneField,
  laneFields,
  type SourcePlace,
} from './contract/contract.ts'
export { draftContract } from './contract/draft.ts'
export { contract } from './contract/index.ts'
export type { Finding, FindingSubject, Unjudged } from './finding.ts'
export { severities } from './finding.ts'
export type { GitlabConfig, TomlEntry, TomlNode, TomlTable } from './gitlab-toml/document.ts'
export { joinSnapshot, keyOf, type SnapshotJoins } from './joins.ts'
export { auditRaise, type RaiseJudgement, raiseAudits, raiseBlockers } from './raise/index.ts'
export { audits } from './registry.ts'
export { remedies } from './remedies.ts'
export {
  type AuditOutcome,
  type AuditRun,
  outcomeOf,
  runAudits,
} from './run.ts'
export { wholeScope } from './scope.ts'
