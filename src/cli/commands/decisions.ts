import type { Command } from 'commander'
import {
  type ApiListedDecision,
  type DecisionList,
  decisionListSchema,
  decisionsLimitMax,
} from '../../api/index.ts'
import { exitCodes } from '../../domain/errors/index.ts'
import { findServer } from '../client/find-server.ts'
import { type Context, printResult, printText } from '../context.ts'
import { define } from '../define.ts'
import { decisionLine, decisionListText } from '../output/decision-list.ts'
import { numberBetween } from './number.ts'
import { pause } from './pause.ts'
import { since } from './since.ts'

interface DecisionsOptions {
  readonly json?: boolean
  readonly watch?: boolean
  readonly since: string
  readonly job?: number
  readonly runner?: string
  readonly rule?: string
  readonly pool?: string
  readonly limit: number
}

const watchEveryMs = 1_000
/** Decisions that are compared with those of a second before; more than that in a second are not all shown. */
const watchedMax = 100

export function addDecisions(program: Command, context: Context): void {
  const command = define(program, context, {
    name: 'decisions',
    description:
      'List what recovery decided lately: by which rule, about which job or runner, and how that went.',
    example: 'holdfast decisions --since 6h --rule stale-queued\nholdfast decisions --job 12 --json',
    settings: 'client',
  })
    .option('--since <time>', 'how far back: minutes, hours or days, such as 90m, 24h or 7d', since, '24h')
    .option('--job <id>', 'only about this job', numberBetween(1, Number.MAX_SAFE_INTEGER))
    .option('--runner <name>', 'only about this runner')
    .option('--rule <name>', 'only by this rule (docs/reference/recovery.md)')
    .option('--pool <name>', 'only about jobs and runners of this pool')
    .option(
      '--limit <count>',
      `at most so many, up to ${decisionsLimitMax}`,
      numberBetween(1, decisionsLimitMax),
      30,
    )
    .option('--watch', 'go on with each new decision, one a line (with --json a document a line)')
  command.addHelpText('after', exitHelp)
  command.action(async (options: DecisionsOptions) => {
    const server = await findServer(command, context)
    const read = (limit: number): Promise<DecisionList> =>
      server.get(pathOf(options, limit), decisionListSchema)
    if (options.watch) return watch(read, options, context)
    const list = await read(options.limit)
    printResult(context, options, list, decisionListText(list, context))
  })
}

/**
 * Prints each decision once, oldest first, until it is ended. Whole pages are compared, not the greatest id: of two
 * decisions that are stored at once, the later id may be visible first.
 */
async function watch(
  read: (limit: number) => Promise<DecisionList>,
  options: DecisionsOptions,
  context: Context,
): Promise<void> {
  const show = (decision: ApiListedDecision) =>
    printText(context, options.json ? JSON.stringify(decision) : decisionLine(decision))
  let { decisions: page } = await read(Math.max(options.limit, watchedMax))
  for (const decision of page.slice(0, options.limit).toReversed()) show(decision)
  while (await pause(watchEveryMs, context)) {
    const shown = new Set(page.map(({ id }) => id))
    page = (await read(watchedMax)).decisions
    for (const decision of page.toReversed()) if (!shown.has(decision.id)) show(decision)
  }
}

const exitHelp = `
Exit codes:
  0  the list was read, however many decisions there are
  ${exitCodes.usage}  the command was not understood
  ${exitCodes.unavailable}  Holdfast does not answer`

function pathOf({ since, job, runner, rule, pool }: DecisionsOptions, limit: number): string {
  const query = new URLSearchParams({ since, limit: String(limit) })
  if (job !== undefined) query.set('job', String(job))
  if (runner !== undefined) query.set('runner', runner)
  if (rule !== undefined) query.set('rule', rule)
  if (pool !== undefined) query.set('pool', pool)
  return `/v1/decisions?${query}`
}
