export { runnerPoolDefinition } from './definition.ts'
export { provisioningWithin } from './fields.ts'
export {
  type ForgeHas,
  GROUPLESS,
  type ParsedPool,
  parseRunnerPool,
  podSettingsGiven,
  toPool,
} from './parse.ts'
export { podShape, poolName, poolRules, poolShape, type RunnerPoolSpec, runnerPoolSpec } from './schema.ts'
