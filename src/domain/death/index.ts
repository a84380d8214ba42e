export { classifyDeath, deathRules } from './classify.ts'
export { type DeathClass, type DeathRecord, deathClasses, type Ending, type Sample } from './record.ts'
