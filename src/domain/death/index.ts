export { classifyDeath, deathRules } from './classify.ts'
export {
  type ContainerEnd,
  type DeathClass,
  type DeathRecord,
  deathClasses,
  type Ending,
  type PodEnd,
  type PodPlace,
  type Sample,
} from './record.ts'
