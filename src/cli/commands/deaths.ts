import { type Command, Option } from 'commander'
import { type DeathList, deathListSchema, deathsLimitMax } from '../../api/index.ts'
import { deathClasses } from '../../domain/death/index.ts'
import { exitCodes } from '../../domain/errors/index.ts'
import { findServer } from '../client/find-server.ts'
import { type Context, printResult } from '../context.ts'
import { define } from '../define.ts'
import { deathListText } from '../output/death-list.ts'
import { numberBetween } from './number.ts'
import { since } from './since.ts'

interface DeathsOptions {
  readonly json?: boolean
  readonly since: string
  readonly class?: readonly string[]
  readonly node?: string
  readonly pool?: string
  readonly label?: string
  readonly all?: boolean
  readonly limit: number
}

export function addDeaths(program: Command, context: Context): void {
  const command = define(program, context, {
    name: 'deaths',
    description:
      'List how runners ended lately, how many of each class, and what many of these ends have in common.',
    example: 'holdfast deaths --since 6h\nholdfast deaths --since 7d --class never-started --node m789d',
    settings: 'client',
  })
    .option('--since <time>', 'how far back: minutes, hours or days, such as 90m, 24h or 7d', since, '24h')
    .addOption(
      new Option('--class <class...>', 'only ends of these classes (docs/reference/deaths.md)').choices(
        deathClasses,
      ),
    )
    .option('--node <name>', 'only ends on this node')
    .option('--pool <name>', 'only ends of runners of this pool')
    .option('--label <label>', 'only ends of runners of pools with this label')
    .addOption(new Option('--all', 'also ends that went as they should').conflicts('class'))
    .option(
      '--limit <count>',
      `at most so many, up to ${deathsLimitMax}`,
      numberBetween(1, deathsLimitMax),
      30,
    )
  command.addHelpText('after', exitHelp)
  command.action(async (options: DeathsOptions) => {
    const list: DeathList = await (await findServer(command, context)).get(pathOf(options), deathListSchema)
    printResult(context, options, list, deathListText(list, context))
  })
}

const exitHelp = `
Exit codes:
  0  the list was read, however many ends there are and whatever they share
  ${exitCodes.usage}  the command was not understood
  ${exitCodes.unavailable}  Holdfast does not answer`

function pathOf(options: DeathsOptions): string {
  const query = new URLSearchParams({ since: options.since, limit: String(options.limit) })
  if (options.class !== undefined) query.set('class', options.class.join(','))
  if (options.node !== undefined) query.set('node', options.node)
  if (options.pool !== undefined) query.set('pool', options.pool)
  if (options.label !== undefined) query.set('label', options.label)
  if (options.all) query.set('all', 'true')
  return `/v1/deaths?${query}`
}
