import type { Command } from 'commander'
import {
  type ConfigInputs,
  type Flags,
  type LoadedConfig,
  loadConfig,
  settingList,
} from '../platform/config/index.ts'
import { agentEnvs } from './agent-settings.ts'
import type { Context } from './context.ts'

/** Environment variables of the command line alone; they are no settings. */
export const urlEnv = 'HOLDFAST_URL'
export const tokenEnv = 'HOLDFAST_TOKEN'

/** The configuration as the command's options, the environment and the file give it. */
export function loadFor(command: Command, context: Context): LoadedConfig {
  return loadConfig(inputsFor(command, context))
}

/** The sources of the configuration, also for reading it again later. */
export function inputsFor(command: Command, context: Context): ConfigInputs {
  const { [urlEnv]: _url, [tokenEnv]: _token, ...others } = context.env
  const env = Object.fromEntries(Object.entries(others).filter(([name]) => !agentEnvs.has(name)))
  const { readFile, isRoot } = context
  return { env, flags: flagsOf(command), readFile, isRoot }
}

function flagsOf(command: Command): Flags {
  const options = command.opts<Record<string, string | undefined>>()
  const byFlag = new Map(command.options.map((option) => [option.long, option.attributeName()]))
  const flags = settingList().map(({ path, flag }) => [path, options[byFlag.get(flag) ?? '']] as const)
  return { ...Object.fromEntries(flags), config: options.config }
}
