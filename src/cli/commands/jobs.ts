import { type Command, Option } from 'commander'
import { type JobList, jobListSchema, jobsLimitMax } from '../../api/index.ts'
import { jobStates, openJobStates } from '../../domain/job/index.ts'
import type { Client } from '../client/client.ts'
import { findServer } from '../client/find-server.ts'
import { type Context, say, tell } from '../context.ts'
import { define } from '../define.ts'
import { jobListText } from '../output/job-list.ts'
import { numberBetween } from './number.ts'
import { addRetire } from './retire.ts'
import { watchJobs } from './watch-jobs.ts'

interface JobsOptions {
  readonly json?: boolean
  readonly all?: boolean
  readonly state?: readonly string[]
  readonly unreachable?: boolean
  readonly repository?: string
  readonly limit: number
  readonly watch?: boolean
}

export function addJobs(program: Command, context: Context): void {
  const command = define(program, context, {
    name: 'jobs',
    description: 'List jobs, newest first: those that are open, or with --all those that ended too.',
    example: 'holdfast jobs --all --repository acme/web\nholdfast jobs --unreachable\nholdfast jobs --watch',
    settings: 'client',
  })
    .enablePositionalOptions()
    .option('--all', 'also jobs that ended')
    .addOption(new Option('--state <state...>', 'only jobs in these states').choices(jobStates))
    .option('--repository <owner/name>', 'only jobs of this repository')
    .addOption(
      new Option(
        '--unreachable',
        'only jobs that no runner of ours can be given: no pool serves them, or an incident holds them',
      ).conflicts(['all', 'state']),
    )
    .option('--limit <count>', `at most so many, up to ${jobsLimitMax}`, numberBetween(1, jobsLimitMax), 50)
    .option('--watch', 'go on and show each change; with --json one JSON document a line')
  command.action(async (options: JobsOptions) => {
    const server = await findServer(command, context)
    const read = (): Promise<JobList> => readJobs(server, options)
    if (options.watch) return watchJobs(read, options, context)
    const list = await read()
    if (list.jobs.length + list.unreadable.length === 0 && !options.json)
      return say(context, emptyText(options))
    tell(context, options, list, jobListText(list, context))
  })
  addRetire(command, context)
}

function readJobs(server: Client, options: JobsOptions): Promise<JobList> {
  const query = new URLSearchParams({ limit: String(options.limit) })
  const states = options.unreachable
    ? undefined
    : (options.state ?? (options.all ? undefined : openJobStates))
  if (options.unreachable) query.set('unreachable', 'true')
  if (states !== undefined) query.set('state', states.join(','))
  if (options.repository !== undefined) query.set('repository', options.repository)
  return server.get(`/v1/jobs?${query}`, jobListSchema)
}

function emptyText(options: JobsOptions): string {
  if (options.unreachable) return 'Every queued job is in reach of a runner.'
  if (options.all || options.state !== undefined) return 'No such jobs.'
  return 'No open jobs. Those that ended: holdfast jobs --all'
}
