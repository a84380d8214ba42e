import type { Command } from 'commander'
import { exitCodes } from '../../domain/errors/index.ts'
import { type ApplyRecord, isUnfinished } from '../../domain/remedy/managed-apply/index.ts'
import { applyBounds } from '../../remedy/managed-apply/index.ts'
import { afterDashes } from '../after-dashes.ts'
import { loadFor } from '../configuration.ts'
import { type Context, printResult } from '../context.ts'
import { define } from '../define.ts'
import type { ManagedApplyOrder } from '../deps.ts'
import { applyListText, applyText } from '../output/apply.ts'
import { nameOf, placeOf, repeated } from '../remedy/scale-set-option.ts'
import { usage } from '../usage.ts'
import { numberBetween } from './number.ts'

const hourSeconds = 3_600
const defaults = { timeoutSeconds: 600, settleSeconds: 1_800, minAgeSeconds: hourSeconds }

interface ClusterOptions {
  readonly json?: boolean
  readonly controllerNamespace: string
  readonly kubeconfig?: string
  readonly context?: string
}

interface BeginOptions extends ClusterOptions {
  readonly scaleSet?: readonly string[]
  readonly timeout: number
  readonly settleTimeout: number
  readonly minAgeSeconds: number
  readonly zeroWanted?: boolean
}

interface ResumeOptions extends ClusterOptions {
  readonly rerunCommand?: boolean
  readonly commandDone?: boolean
}

const exitHelp = `
Exit codes:
  0  done and proven
  1  the command failed; the caps are back
  ${exitCodes.usage}  it was not understood
  ${exitCodes.refused}  refused before anything was changed
  ${exitCodes.badEnd}  escalated: the caps are back, and the rest is not proven; or the caps
     could not be given back, and the message names them
  ${exitCodes.unfinished}  stopped before the command ran, and the caps are back; or interrupted
     afterwards, to be resumed`

/** Adds `apply` with `resume`, `abort` and `status`: the user's own command, around scale sets of ARC at rest. */
export function addApply(program: Command, context: Context): void {
  const apply = define(program, context, {
    name: 'apply',
    description:
      'Run a command that changes scale sets of ARC, such as helm upgrade, around sets at rest: caps are recorded and frozen before it, given back after it, and the rollover is settled and proven.',
    example: [
      'holdfast apply --scale-set arc-runners/linux -- helm upgrade linux ./chart',
      'holdfast apply status',
      'holdfast apply abort',
    ].join('\n'),
    settings: 'client',
  })
    .enablePositionalOptions() // so that `resume --json` is an option of `resume`
    .argument('[command...]', 'after --: the program and its arguments, which no shell reads')
    .addOption(repeated('--scale-set <namespace/name>', 'an AutoscalingRunnerSet that the command changes'))
    .option(
      '--timeout <seconds>',
      'the command is ended after it',
      numberBetween(1, 6 * hourSeconds),
      defaults.timeoutSeconds,
    )
    .option(
      '--settle-timeout <seconds>',
      'for busy runners of the old generation',
      numberBetween(1, 24 * hourSeconds),
      defaults.settleSeconds,
    )
    .option(
      '--min-age-seconds <seconds>',
      'before the command, leave younger idle runners alone',
      numberBetween(0, 30 * 24 * hourSeconds),
      defaults.minAgeSeconds,
    )
    .option('--zero-wanted', 'the new source wants a cap of 0: do not take it for the freeze')
  withCluster(apply).addHelpText('after', exitHelp)
  apply.action(async (args: readonly string[], options: BeginOptions) => {
    const argv = afterDashes(apply)
    const { scaleSet = [], timeout, settleTimeout, minAgeSeconds, zeroWanted = false } = options
    if (scaleSet.length === 0)
      throw usage('name the sets that the command changes: --scale-set <namespace/name>')
    if (scaleSet.length > applyBounds.setsMax)
      throw usage(`at most ${applyBounds.setsMax} sets in one apply; got ${scaleSet.length}`)
    if (argv === null || argv.length === 0 || beforeDashes(args, argv).length > 0)
      throw usage('give the whole command after --, such as: -- helm upgrade linux ./chart')
    const sets = [...new Set(scaleSet)].map(placeOf)
    const limits = {
      commandMaxMs: timeout * 1_000,
      settleMaxMs: settleTimeout * 1_000,
      minAgeMs: minAgeSeconds * 1_000,
    }
    await run(apply, context, options, { kind: 'begin', sets, argv, limits, isZeroWanted: zeroWanted })
  })
  addResume(apply, context)
  addAbort(apply, context)
  addStatus(apply, context)
}

function addResume(apply: Command, context: Context): void {
  const resume = define(apply, context, {
    name: 'resume',
    description:
      'Go on with an apply that was interrupted. A command whose end nobody noted is not run again by itself.',
    example: [
      'holdfast apply resume --command-done',
      'holdfast apply resume --rerun-command -- helm upgrade linux ./chart',
    ].join('\n'),
    settings: 'client',
  })
    .argument(
      '[id...]',
      'of the apply, else the only unfinished one; after --: the command, where it is still to run, since no record keeps it',
    )
    .option('--rerun-command', 'you looked: run the command again')
    .option('--command-done', 'you looked: the command has ended well')
  withCluster(resume)
  resume.action(async (args: readonly string[], options: ResumeOptions) => {
    const { rerunCommand = false, commandDone = false } = options
    if (rerunCommand && commandDone) throw usage('--rerun-command or --command-done: choose one')
    const argv = afterDashes(resume)
    const [id = null, ...others] = beforeDashes(args, argv)
    if (others.length > 0) throw usage('one id, and the command after --')
    if (argv?.length === 0 || (rerunCommand && argv === null)) throw usage('give the command to run after --')
    const word = rerunCommand ? 'rerun' : commandDone ? 'done' : null
    await run(resume, context, options, { kind: 'resume', id, word, argv })
  })
}

function addAbort(apply: Command, context: Context): void {
  const abort = define(apply, context, {
    name: 'abort',
    description:
      'Give back the caps of an apply that was interrupted, and go no further. Caps that the command or a person wrote stand.',
    example: 'holdfast apply abort\nholdfast apply abort 4f2a9c01be77',
    settings: 'client',
  }).argument('[id]', 'of the apply; else the only unfinished one')
  withCluster(abort)
  abort.action(async (id: string | undefined, options: ClusterOptions) => {
    await run(abort, context, options, { kind: 'abort', id: id ?? null })
  })
}

const shownMax = 20

function addStatus(apply: Command, context: Context): void {
  const status = define(apply, context, {
    name: 'status',
    description: 'Unfinished applies with what they owe and what to do, and the last finished ones.',
    example: 'holdfast apply status\nholdfast apply status --json',
    settings: 'client',
  })
  status.addHelpText(
    'after',
    `\nExit codes:\n  0  none is unfinished\n  ${exitCodes.unfinished}  at least one is`,
  )
  status.action(async (options: { readonly json?: boolean }) => {
    const records = await context.roles.readApplies(loadFor(status, context).config)
    const open = records.filter(isUnfinished)
    const shown = [...open, ...records.filter((record) => !isUnfinished(record)).slice(0, shownMax)]
    printResult(context, options, shown, applyListText(shown, context))
    context.exitCode = open.length === 0 ? 0 : exitCodes.unfinished
  })
}

function withCluster(command: Command): Command {
  return command
    .option('--controller-namespace <name>', "of ARC's controller and listeners", 'arc-systems')
    .option('--kubeconfig <file>', 'of the cluster; else fleet.kubeconfig, or as kubectl finds it')
    .option('--context <name>', 'of the kubeconfig; else its current one')
}

async function run(
  command: Command,
  context: Context,
  options: ClusterOptions,
  act: ManagedApplyOrder['act'],
): Promise<void> {
  const { config } = loadFor(command, context)
  const order: ManagedApplyOrder = {
    act,
    isJson: options.json === true,
    controllerNamespace: nameOf(options.controllerNamespace),
    kubeconfig: options.kubeconfig ?? config.fleet.kubeconfig,
    context: options.context,
  }
  const onProgress = (line: string) => void context.stderr.write(`${line}\n`)
  const report = await context.roles.managedApply(config, order, onProgress, context.signal)
  printResult(context, options, report, applyText(report, context))
  const isAsked = act.kind === 'abort' && report.record.state === 'aborted'
  context.exitCode = isAsked ? 0 : codeOf(report.record)
}

function codeOf(record: ApplyRecord): number {
  if (record.state === 'done') return 0
  if (record.state === 'failed') return 1
  if (record.state === 'refused') return exitCodes.refused
  return record.state === 'escalated' ? exitCodes.badEnd : exitCodes.unfinished
}

/** Arguments that stand before `--`. */
function beforeDashes(args: readonly string[], behind: readonly string[] | null): readonly string[] {
  return args.slice(0, args.length - (behind?.length ?? 0))
}
