export { classifyDeath, deathRules, plainVerdict } from './classify.ts'
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
export type { HostRing, HostSample } from './host-ring.ts'
export {
  type DeathClass,
  type DeathFacts,
  type DeathRecord,
  deathClasses,
  type JobAtEnd,
  type Verdict,
} from './record.ts'
