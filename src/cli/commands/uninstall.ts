import type { Command } from 'commander'
import { exitCodes } from '../../domain/errors/index.ts'
import { loadFor } from '../configuration.ts'
import { type Context, printResult } from '../context.ts'
import { define } from '../define.ts'
import type { UninstallReport } from '../deps.ts'
import { numberBetween } from './number.ts'

const waitSeconds = 120
const waitSecondsMax = 86_400

interface Options {
  readonly json?: boolean
  readonly yes?: boolean
  readonly evenBusy?: boolean
  readonly withoutLedger?: boolean
  readonly wait?: number
}

/** Adds `uninstall`, which removes everything of ours from a namespace; no Holdfast may run meanwhile. */
export function addUninstall(program: Command, context: Context): void {
  const command = define(program, context, {
    name: 'uninstall',
    description:
      'Say what of Holdfast stands in a namespace of a cluster, and with --yes remove it: records are sealed first, then finalizers come off.',
    example: 'holdfast uninstall --fleet-namespace ci\nholdfast uninstall --fleet-namespace ci --yes',
    settings: 'all',
  })
    .option('--yes', 'do it; without it nothing is changed')
    .option('--even-busy', 'also stop pods in which a job runs')
    .option('--without-ledger', 'give up records that are not sealed yet')
    .option('--wait <seconds>', 'how long pods get to end', numberBetween(1, waitSecondsMax), waitSeconds)
  command.action(async (options: Options) => {
    const report = await context.roles.uninstall(loadFor(command, context).config, {
      isApproved: options.yes === true,
      evenBusy: options.evenBusy === true,
      withoutLedger: options.withoutLedger === true,
      waitMs: (options.wait ?? waitSeconds) * 1_000,
    })
    printResult(context, options, report, reportText(report))
    const isUnfinished = report.isDone && (report.unseen.length > 0 || report.steps.some(isLeft))
    if (isUnfinished) context.exitCode = exitCodes.unfinished
  })
}

function isLeft({ outcome }: UninstallReport['steps'][number]): boolean {
  return outcome === 'left'
}

function reportText({ namespace, isDone, steps, unseen }: UninstallReport): string {
  const hidden = unseen.map((line) => `not looked at  ${line}`)
  if (steps.length === 0)
    return [`Nothing of Holdfast stands in the namespace ${namespace}.`, ...hidden].join('\n')
  const lines = steps.map(({ what, act, outcome, why }) => `${outcome.padEnd(8)} ${what}: ${why ?? act}`)
  const last = isDone
    ? `${steps.filter(({ outcome }) => outcome === 'gone').length} of ${steps.length} are gone from the namespace ${namespace}.`
    : `Nothing was changed. With --yes this is done in the namespace ${namespace}.`
  return [...lines, ...hidden, last].join('\n')
}
