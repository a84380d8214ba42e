export { bare, typeText } from '../../api/schema/index.ts'
export { CONFIG_ENV, type Environment } from './environment.ts'
export type { ReadFile } from './file.ts'
export type { Flags } from './flags.ts'
export { hasRunnerGroups } from './forge.ts'
export { configJsonSchema } from './json-schema.ts'
export { type ConfigInputs, checkConfig, type LoadedConfig, loadConfig } from './load.ts'
export { type Origin, originText } from './origin.ts'
export { type PoolConfig, poolSchema, toPool } from './pool.ts'
export { type ConfigRow, printConfig } from './print.ts'
export {
  type ForgeSecrets,
  type ReloadingSecrets,
  type ReloadingSecretsOptions,
  reloadingSecrets,
  type Secrets,
  secretsOf,
} from './reloading-secrets.ts'
export { type Config, configSchema } from './schema.ts'
export { passwordsIn, secretValues, textsIn } from './secret-values.ts'
export { type Setting, settingList, settingsUnder } from './settings.ts'
