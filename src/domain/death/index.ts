export { classifyDeath, classifyLog, plainVerdict } from './classify.ts'
export {
  type CauseFactor,
  type CommonCause,
  causeFactors,
  commonCauses,
  ENDS_MAX,
  type EndSeen,
  type Place,
  unexpectedClasses,
} from './common-cause.ts'
export { type Correction, correctionOf, correctionRule } from './correction.ts'
export { type Deleter, deleterOf, deleters } from './deleter.ts'
export type {
  ContainerEnd,
  EarlierEnd,
  Ending,
  Limits,
  NodeAtEnd,
  PodCondition,
  PodEnd,
  PodEvent,
  PodPlace,
  Sample,
} from './ending.ts'
export { type HostRing, type HostSample, seenUntil } from './host-ring.ts'
export { endKinds, type Heard, jobAtEndOf, wordKinds } from './job-at-end.ts'
export {
  type Bearing,
  bearings,
  type ForgeEnd,
  isLostBy,
  type RunnerDeath,
  runnerDeath,
  SILENT_AFTER_MS,
} from './losing.ts'
export { isPlaceholder } from './placeholder.ts'
export {
  type DeathClass,
  type DeathFacts,
  type DeathRecord,
  deathClasses,
  type JobAtEnd,
  type Silence,
  type Verdict,
} from './record.ts'
export {
  deathRules,
  judgeLiving,
  nothingFits,
  type RuleGroup,
  ruleGroups,
  TOLD_TO_LEAVE,
} from './rules/index.ts'
export { type EndInShort, endInShort, type SealedEnd, sealedEnd } from './sealed-end.ts'
export { causeKey, isOf, keysOf, tellingCauses } from './telling-causes.ts'
export type { DeathRule, Finding } from './verdict.ts'
export { type VitalKey, type Vitals, vitalKeys, vitalsOf } from './vitals.ts'
