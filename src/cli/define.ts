import { type Command, Option } from 'commander'
import { settingList } from '../platform/config/index.ts'
import type { Context } from './context.ts'

export interface Definition {
  /** Name and arguments: `job <id>`. */
  readonly name: string
  readonly description: string
  readonly example: string
  /** Settings that the command takes as options: none, those that find the server, or all. */
  readonly settings: 'none' | 'client' | 'all'
}

/** The settings by which a client finds the server and the token. */
const clientPaths: ReadonlySet<string> = new Set(['dataDir', 'http.host', 'http.port'])

export const settingsGroup = 'Settings (docs/reference/config.md):'
const serverGroup = 'Server:'

/** Adds a command with the parts that every command has: an example in its help, `--json`, its settings as options. */
export function define(parent: Command, context: Context, definition: Definition): Command {
  const command = parent
    .command(definition.name)
    .description(definition.description)
    .option('--json', 'one JSON document on stdout, also for an error')
  addSettings(command, definition.settings)
  const lines = definition.example.split('\n').map((line) => `  $ ${line}`)
  command.addHelpText('after', `\nExample:\n${lines.join('\n')}`)
  context.examples.set(command, definition.example)
  return command
}

function addSettings(command: Command, which: Definition['settings']): void {
  if (which === 'none') return
  const group = which === 'client' ? serverGroup : settingsGroup
  if (which === 'client') {
    command.addOption(
      new Option(
        '--url <url>',
        'where Holdfast serves, instead of what the settings say (HOLDFAST_URL)',
      ).helpGroup(group),
    )
  }
  command.addOption(
    new Option('--config <file>', 'YAML file with settings (HOLDFAST_CONFIG)').helpGroup(group),
  )
  for (const { path, flag, flagAlias, description, env } of settingList()) {
    if (which === 'client' && !clientPaths.has(path)) continue
    const flags = flagAlias === undefined ? flag : `${flagAlias}, ${flag}`
    command.addOption(new Option(`${flags} <value>`, `${description} (${env})`).helpGroup(group))
  }
}
