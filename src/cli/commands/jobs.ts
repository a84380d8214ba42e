import { type Command, Option } from 'commander'
import { type JobList, jobListSchema, jobsLimitMax } from '../../api/index.ts'
import { isOpen, jobStandings, jobStates } from '../../domain/job/index.ts'
import type { Client } from '../client/client.ts'
import { findServer } from '../client/find-server.ts'
import { type Context, printResult, printText } from '../context.ts'
import { define } from '../define.ts'
import { jobListText } from '../output/job-list.ts'
import { numberBetween } from './number.ts'
import { addRetire } from './retire.ts'
import { since } from './since.ts'
import { watchJobs } from './watch-jobs.ts'

interface JobsOptions {
  readonly json?: boolean
  readonly all?: boolean
  readonly state?: readonly string[]
  readonly unreachable?: boolean
  readonly repository?: string
  readonly pool?: string
  readonly label?: readonly string[]
  readonly since?: string
  readonly outcome?: readonly string[]
  readonly cursor?: string
  readonly limit: number
  readonly watch?: boolean
}

export function addJobs(program: Command, context: Context): void {
  const command = define(program, context, {
    name: 'jobs',
    description:
      'List jobs: those that are open, what asks for attention first and the oldest before the newest; with --all, --outcome or --since those that ended too, newest first.',
    example:
      'holdfast jobs --all --repository acme/web\nholdfast jobs --state quarantined\nholdfast jobs --outcome failure lost --since 24h --pool linux\nholdfast jobs --unreachable\nholdfast jobs --watch',
    settings: 'client',
  })
    .enablePositionalOptions()
    .option('--all', 'also jobs that ended')
    .addOption(
      new Option('--state <state...>', 'only jobs in these states, as the list shows them').choices(
        jobStandings,
      ),
    )
    .option('--repository <owner/name>', 'only jobs of this repository')
    .option('--pool <name>', 'only jobs of this pool')
    .option('--label <label...>', 'only jobs with all of these labels')
    .option('--since <time>', 'only jobs that are open or ended since then, such as 90m, 24h or 7d', since)
    .option('--outcome <outcome...>', 'only jobs that ended so: success, failure, cancelled, lost')
    .addOption(
      new Option(
        '--unreachable',
        'only jobs that no runner of ours can be given: no pool serves them, or an incident holds them',
      ).conflicts(['all', 'state']),
    )
    .option('--limit <count>', `at most so many, up to ${jobsLimitMax}`, numberBetween(1, jobsLimitMax), 50)
    .option('--cursor <cursor>', 'go on where a page ended, as it says')
    .option('--watch', 'go on and show each change; with --json one JSON document a line')
  command.action(async (options: JobsOptions) => {
    const server = await findServer(command, context)
    const read = (): Promise<JobList> => readJobs(server, options)
    if (options.watch) return watchJobs(read, options, context)
    const list = await read()
    if (list.jobs.length + list.unreadable.length === 0 && !options.json)
      return printText(context, emptyText(options))
    printResult(
      context,
      options,
      list,
      [jobListText(list, context), ...moreLines(list, command, context)].join('\n'),
    )
  })
  addRetire(command, context)
}

function readJobs(server: Client, options: JobsOptions): Promise<JobList> {
  const query = new URLSearchParams({ limit: String(options.limit), order: 'attention' })
  const states = options.unreachable
    ? undefined
    : (options.state ?? (withEnded(options) ? undefined : openStandings))
  if (options.unreachable) query.set('unreachable', 'true')
  if (states !== undefined) query.set('state', states.join(','))
  for (const name of ['repository', 'pool', 'since', 'cursor'] as const) {
    const value = options[name]
    if (value !== undefined) query.set(name, value)
  }
  if (options.label !== undefined) query.set('label', options.label.join(','))
  if (options.outcome !== undefined) query.set('outcome', options.outcome.join(','))
  return server.get(`/v1/jobs?${query}`, jobListSchema)
}

const openStandings = jobStandings.filter(
  (standing) => !jobStates.some((state) => state === standing && !isOpen({ state })),
)

function withEnded({ all, since: from, outcome }: JobsOptions): boolean {
  return all === true || from !== undefined || outcome !== undefined
}

/** Lines about the jobs that are not on this page, with the command that shows them. */
function moreLines(list: JobList, command: Command, { self, colors }: Context): string[] {
  const shown = list.jobs.length + list.unreadable.length
  const total = `${list.total}${list.isTotalExact ? '' : ' or more'}`
  if (list.next === null) {
    const isLast = command.getOptionValue('cursor') !== undefined
    if (isLast) return ['', colors.dim(`the last ${shown} of ${total}`)]
    return list.total > shown ? ['', colors.dim(`${shown} shown of ${total}; more with --limit`)] : []
  }
  const given = givenWords(command)
  return [
    '',
    colors.dim(`${shown} shown of ${total}; the next ones: ${self} jobs${given} --cursor ${list.next}`),
  ]
}

/** The options of this call without its cursor. */
function givenWords(command: Command): string {
  const given = command.options.filter(
    (option) =>
      command.getOptionValueSource(option.attributeName()) === 'cli' && option.attributeName() !== 'cursor',
  )
  return given
    .map((option) => {
      const value: unknown = command.getOptionValue(option.attributeName())
      const words = value === true ? [] : [value].flat().map((word) => shellWord(String(word)))
      return [' ', [option.long, ...words].join(' ')].join('')
    })
    .join('')
}

function shellWord(word: string): string {
  return /^[\w/.,:@+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

function emptyText(options: JobsOptions): string {
  if (options.unreachable) return 'Every queued job is in reach of a runner.'
  if (withEnded(options) || options.state !== undefined) return 'No such jobs.'
  return 'No open jobs. Those that ended: holdfast jobs --all'
}
