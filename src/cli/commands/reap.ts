import type { Command } from 'commander'
import { loadFor } from '../configuration.ts'
import { type Context, printResult } from '../context.ts'
import { define } from '../define.ts'
import type { ReapOrder } from '../deps.ts'
import { remedyText } from '../output/remedy.ts'
import { remedyExitCode } from '../remedy/exit.ts'
import {
  addRemedyOptions,
  addSetsOptions,
  isSetChosen,
  type RemedyOptions,
  remedyOrder,
  type SetsOptions,
  setsChoice,
} from '../remedy/options.ts'
import { usage } from '../usage.ts'
import { numberBetween } from './number.ts'

const minAgeSeconds = 3_600
const minAgeSecondsMax = 30 * 86_400

interface Options extends RemedyOptions, SetsOptions {
  readonly staleGeneration?: boolean
  readonly minAgeSeconds: number
  readonly unattended?: boolean
}

/** Adds `reap`: the plan by default, and with `--apply` exactly that plan or nothing. */
export function addReap(program: Command, context: Context): void {
  const command = define(program, context, {
    name: 'reap',
    description:
      'Plan the removal of idle runners of ARC that outlive the demand, and with --apply do exactly that: one by one, each looked at again in cluster and forge right before.',
    example: [
      'holdfast reap --scale-set arc-runners/linux',
      'holdfast reap --scale-set arc-runners/linux --stale-generation',
      'holdfast reap --apply <hash of the plan>',
    ].join('\n'),
    settings: 'client',
  })
  addSetsOptions(command)
    .option('--stale-generation', 'also runners of generations that are not the newest')
    .option(
      '--min-age-seconds <seconds>',
      'leave younger runners alone',
      numberBetween(0, minAgeSecondsMax),
      minAgeSeconds,
    )
    .option('--unattended', 'plan and apply in one run, for a CronJob')
  addRemedyOptions(command)
  command.action(async (options: Options) => {
    const { config } = loadFor(command, context)
    const order = orderOf(options, config.fleet.kubeconfig)
    const report = await context.roles.reap(config, order, context.signal)
    printResult(context, options, report, remedyText(report, context))
    context.exitCode = remedyExitCode(report.state)
  })
}

function orderOf(options: Options, kubeconfig: string | undefined): ReapOrder {
  const { unattended = false, dryRun = false, staleGeneration = false } = options
  const isChosen = isSetChosen(options) || unattended || staleGeneration
  const order = remedyOrder(options, kubeconfig, isChosen)
  const sets = setsChoice(options)
  if (unattended && dryRun) throw usage('--unattended applies its plan, --dry-run does not: choose one')
  const minAgeMs = options.minAgeSeconds * 1_000
  return {
    ...order,
    isUnattended: unattended,
    scope: { ...sets, isStaleGeneration: staleGeneration, minAgeMs },
  }
}
