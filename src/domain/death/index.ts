export { classifyDeath, classifyLog, plainVerdict } from './classify.ts'
export {
  type CauseFactor,
  type CommonCause,
  causeFactors,
  commonCauses,
  ENDS_MAX,
  type EndSeen,
  type Place,
} from './common-cause.ts'
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
  type DeathClass,
  type DeathFacts,
  type DeathRecord,
  deathClasses,
  type JobAtEnd,
  type Verdict,
} from './record.ts'
export { deathRules, nothingFits, type RuleGroup, ruleGroups } from './rules/index.ts'
export type { DeathRule, Finding } from './verdict.ts'
export { type VitalKey, type Vitals, vitalKeys, vitalsOf } from './vitals.ts'
