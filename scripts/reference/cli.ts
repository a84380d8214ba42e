import type { Command } from 'commander'
import { settingsGroup } from '../../src/cli/define.ts'
import { type Cli, createCli } from '../../src/cli/index.ts'
import { errorTable, exitCodes } from '../../src/domain/errors/index.ts'
import { page, table } from './markdown.ts'

/** docs/reference/cli.md */
export function cliPage(): string {
  const { program, context } = createCli(inert)
  const commands = runnableOf(program, '', context)
  return page(
    'Command line',
    intro,
    table(
      ['command', 'what it does'],
      commands.map(({ name, command }) => [`[\`${name}\`](#${anchor(name)})`, command.description()]),
    ),
    ...commands.map(({ name, command }) => section(name, command, context.examples.get(command) ?? '')),
    `## Exit codes\n\n${table(['code', 'means'], exitRows())}`,
  )
}

const intro = `Every command explains itself with \`--help\` and takes \`--json\`: one JSON document on stdout, also for an error.
Colours and tables that refresh appear on a terminal only; \`NO_COLOR\` is honoured.

Commands that ask a running Holdfast find it by \`--url\`, else \`HOLDFAST_URL\`, else the settings \`http.host\` and
\`http.port\`. The operator's token is read from \`HOLDFAST_TOKEN\`, else from \`operator-token\` in the data folder; the
file's token is sent to this machine only. Settings are options of the same name: \`http.port\` is \`--http-port\`
([configuration](config.md)).`

interface Runnable {
  readonly name: string
  readonly command: Command
}

/** Commands that act by themselves; a group only has subcommands. */
function runnableOf(parent: Command, path: string, context: Cli['context']): Runnable[] {
  return parent.commands.flatMap((command) => {
    const name = `${path}${command.name()}`
    const own = context.examples.has(command) ? [{ name, command }] : []
    return [...own, ...runnableOf(command, `${name} `, context)]
  })
}

function section(name: string, command: Command, example: string): string {
  const args = command.registeredArguments.map((argument) => [
    `\`<${argument.name()}>\``,
    argument.description,
    '',
  ])
  const options = command.options
    .filter((option) => option.helpGroupHeading !== settingsGroup)
    .map(({ flags, description, defaultValue }) => [`\`${flags}\``, description, defaultText(defaultValue)])
  const takesAll = command.options.some((option) => option.helpGroupHeading === settingsGroup)
  return [
    `## \`${name}\``,
    command.description(),
    `\`\`\`sh\n${example}\n\`\`\``,
    table(['option', 'what it is for', 'default'], [...args, ...options]),
    ...(takesAll ? ['It also takes `--config` and every [setting](config.md) as an option.'] : []),
  ].join('\n\n')
}

function defaultText(value: unknown): string {
  if (value === undefined) return ''
  return `\`${Array.isArray(value) ? value.join(', ') : String(value)}\``
}

function anchor(name: string): string {
  return name.replaceAll(' ', '-')
}

function exitRows(): string[][] {
  const known = Object.entries(exitCodes).map(([name, code]) => {
    const codes = Object.entries(errorTable).filter(([, entry]) => entry.exitCode === code)
    return [
      String(code),
      exitWords[name as keyof typeof exitCodes],
      codes.map(([error]) => `\`${error}\``).join(', '),
    ]
  })
  return [['0', 'success', ''], ['1', 'a defect', ''], ...known].map(
    ([code = '', words = '', errors = '']) => [code, errors === '' ? words : `${words}: ${errors}`],
  )
}

const exitWords: Readonly<Record<keyof typeof exitCodes, string>> = {
  usage: 'the command or the request was not understood',
  config: 'the configuration cannot be used',
  unavailable: 'something that is needed does not answer',
  refused: 'it was understood and refused',
  notFound: 'there is no such thing',
  badEnd: 'what was waited for came to a bad end',
  unfinished: 'what was waited for did not end in time',
  noVerdict: 'what was asked about is known, and not how it ended (`explain`)',
}

/** Nothing is run: the page is read off the commands. */
const inert: Parameters<typeof createCli>[0] = {
  roles: {
    up: unused,
    migrate: unused,
    examine: unused,
    rotateKeys: unused,
    uninstall: unused,
    simForge: unused,
    agent: unused,
    readForeignRunner: unused,
    collectSnapshot: unused,
    readSnapshot: unused,
    writeSnapshot: unused,
    lookAtRunnerHost: unused,
    createTextFile: unused,
    reap: unused,
    fix: unused,
    managedApply: unused,
    readApplies: unused,
    treatHost: unused,
    probe: unused,
    readTrail: unused,
  },
  env: {},
  readFile: () => undefined,
  readTail: unused,
  isRoot: false,
  instances: { in: unused, all: unused },
  self: 'holdfast',
  stdout: { write: () => {} },
  stderr: { write: () => {} },
  isTerminal: false,
  fetch: unused,
  clock: { now: () => 0, sleep: unused, after: () => () => {} },
  signal: AbortSignal.abort(),
  version: '',
}

function unused(): Promise<never> {
  return Promise.reject(new Error('the reference page runs nothing'))
}
