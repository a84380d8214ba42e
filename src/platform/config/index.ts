export { bare, typeText } from '../../api/schema/index.ts'
export { configEnv, type Environment } from './environment.ts'
export { type ConfigFile, type ReadFile, readConfigFile } from './file.ts'
export type { Flags } from './flags.ts'
export { hasRunnerGroups } from './forge/schema.ts'
export { configJsonSchema } from './json-schema.ts'
export { type ConfigInputs, checkConfig, type LoadedConfig, loadConfig } from './load.ts'
export { originText } from './origin.ts'
export { poolSchema, toPool } from './pool.ts'
export { type ConfigRow, printConfig } from './print.ts'
export {
  type ForgeSecrets,
  type ReloadingSecrets,
  reloadingSecrets,
  type Secrets,
  secretsOf,
} from './reloading-secrets.ts'
export { type Config, configSchema } from './schema.ts'
export { pathText, schemaProblems } from './schema-problems.ts'
export { passwordsIn, secretValues } from './secret-values.ts'
export { type Setting, settingList, settingsUnder } from './settings.ts'
