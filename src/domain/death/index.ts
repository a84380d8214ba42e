export { classifyDeath, classifyLog, plainVerdict } from './classify.ts'
export {
  type CommonCause,
  commonCauses,
  endsMax,
  type RunnerFactors,
  unexpectedClasses,
} from './common-cause.ts'
export { type Correction, correctionOf, correctionRule } from './correction.ts'
export { causeKey, causeKeysOf, distinctCauses, isOfCause } from './distinct-causes.ts'
export type {
  ContainerEnd,
  EarlierEnd,
  Ending,
  Limits,
  NodeAtEnd,
  PodCondition,
  PodEnd,
  PodEvent,
  Sample,
} from './ending.ts'
export { type HostSample, type HostSamples, lastObservedAt } from './host-samples.ts'
export { endKinds, eventKinds, type JobEventTimes, jobAtEndOf } from './job-at-end.ts'
export { type LogSigns, quote, signsOf } from './log.ts'
export {
  type Bearing,
  bearings,
  isLostBy,
  type RunnerDeath,
  runnerDeath,
  silentAfterMs,
} from './losing.ts'
export { isPlaceholder } from './placeholder.ts'
export {
  type DeathClass,
  type DeathFacts,
  type DeathRecord,
  deathClasses,
  type JobAtEnd,
  type JobReport,
  type Silence,
  type Verdict,
} from './record.ts'
export { evictionOf } from './rules/eviction.ts'
export {
  answeredByStep,
  askedToLeaveRule,
  deathRules,
  judgeLiving,
  nothingFits,
  type RuleGroup,
  ruleGroups,
} from './rules/index.ts'
export { endSummaryOf, type SealedEnd, sealedEnd } from './sealed-end.ts'
export { type MemorySeen, type SeenOutside, seenOutside } from './seen-outside.ts'
export type { DeathRule } from './verdict.ts'
export { vitalKeys, vitalsOf } from './vitals.ts'
