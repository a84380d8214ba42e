export { runnerPoolDefinition } from './definition.ts'
export { provisioningWithin } from './fields.ts'
export {
  groupless,
  parseRunnerPool,
  podSettingsGiven,
  toPool,
} from './parse.ts'
export { podShape, poolName, poolRules, poolShape, runnerPoolSpec } from './schema.ts'
