import type { Command } from 'commander'
import { readContract } from '../../contract-file/index.ts'
import type { RaiseJudgement } from '../../domain/audit/index.ts'
import {
  type CapacityModel,
  capacityModel,
  checkCapacity,
  type LabelCapacity,
  nodeDemands,
  nodeFilesystems,
} from '../../domain/capacity/index.ts'
import { exitCodes } from '../../domain/errors/index.ts'
import type { Snapshot } from '../../domain/snapshot/index.ts'
import { addSuppositionOptions, type SuppositionOptions, suppositionsOf } from '../capacity/suppositions.ts'
import { judgeWhatIf, whatIfReport } from '../capacity/what-if.ts'
import { type Context, printResult } from '../context.ts'
import { define } from '../define.ts'
import { capacityText } from '../output/capacity.ts'
import { whatIfPage } from '../output/what-if.ts'
import { openSnapshot } from '../snapshot/open-snapshot.ts'
import { addSnapshotOptions, type SnapshotOptions } from '../snapshot/options.ts'

interface CapacityOptions extends SnapshotOptions {
  readonly json?: boolean
}

interface CheckOptions extends CapacityOptions {
  readonly earlier?: string
}

interface WhatIfOptions extends CapacityOptions, SuppositionOptions {
  readonly contract?: string
}

const exitHelp = `
Exit codes:
  0  every label reaches its declared maximum at the load of now
  1  a label does not
  ${exitCodes.usage}  facts are unknown, so it could not be judged; or the command was not
     understood`

const raiseHelp = `
  ${exitCodes.refused}  it is a raise, and findings stand against it

A raise (a higher maximum, or more room) is refused while findings about images,
credentials, fairness or the scheduler are open on its labels in the same
snapshot. The figures are shown all the same, without what one more slot needs.`

/** A refused raise is that before anything else; one that could not be judged is no success. */
function whatIfExitCode(raises: readonly RaiseJudgement[], ofFigures: number): number {
  if (raises.some(({ verdict }) => verdict === 'refused')) return exitCodes.refused
  const isUnknown = raises.some(({ verdict }) => verdict === 'unknown')
  return ofFigures === 0 && isUnknown ? exitCodes.usage : ofFigures
}

/** Adds `capacity check` and `capacity what-if`. */
export function addCapacity(program: Command, context: Context): void {
  const capacity = program
    .command('capacity')
    .description('How many runners of each label fit on the nodes, and what keeps it from more.')
  const check = define(capacity, context, {
    name: 'check',
    description: 'Declared against schedulable for every label, now and with every lane at its maximum.',
    example: [
      'holdfast capacity check',
      'holdfast capacity check --label linux --snapshot fleet.snapshot',
      'holdfast capacity check --snapshot fleet.snapshot --earlier hour-ago.snapshot',
    ].join('\n'),
    settings: 'client',
  })
  check.option('--earlier <file>', 'an earlier snapshot of the same fleet: how long filesystems last')
  addSnapshotOptions(check, { withFile: true }).addHelpText('after', exitHelp)
  check.action(async (options: CheckOptions) => {
    const earlier = options.earlier === undefined ? null : await context.roles.readSnapshot(options.earlier)
    const snapshot = await wholeSnapshot(check, context)
    const model = capacityModel(snapshot)
    const report = {
      labels: checkCapacity(model, options.label ?? null),
      nodes: nodeDemands(model),
      ...nodeFilesystems(snapshot, earlier),
      areNodesKnown: model.areNodesKnown,
      unknown: model.unknown,
    }
    printResult(context, options, report, capacityText(report, context))
    context.exitCode = exitCodeOf(report.labels, model)
  })

  const whatIf = define(capacity, context, {
    name: 'what-if',
    description: 'The same after changes that are only supposed: nodes, maxima, places and quotas.',
    example: [
      'holdfast capacity what-if --node-gone node-3',
      'holdfast capacity what-if --node-added node-1=2 --max linux=40',
      'holdfast capacity what-if --quota arc-runners/runners/pods=80',
    ].join('\n'),
    settings: 'client',
  })
  addSnapshotOptions(whatIf, { withFile: true })
  addSuppositionOptions(whatIf)
  whatIf
    .option('--contract <file>', 'what this installation declares about itself: who goes first on a label')
    .addHelpText('after', `${exitHelp}${raiseHelp}`)
  whatIf.action(async (options: WhatIfOptions) => {
    const suppositions = suppositionsOf(options)
    const contract = options.contract === undefined ? null : readContract(options.contract, context.readFile)
    const snapshot = await wholeSnapshot(whatIf, context)
    const { supposed, ...result } = judgeWhatIf(suppositions, { snapshot, contract }, options.label ?? null)
    printResult(context, options, whatIfReport(result), whatIfPage(result, context))
    context.exitCode = whatIfExitCode(result.raises, exitCodeOf(result.after, supposed))
  })
}

/** Every pod on a node counts, also of labels that were not asked for: `--label` only chooses what is shown. */
function wholeSnapshot(command: Command, context: Context): Promise<Snapshot> {
  return openSnapshot(command, context, {}, false)
}

function exitCodeOf(labels: readonly LabelCapacity[], { unknown }: CapacityModel): number {
  if (labels.some(({ declared, effective }) => declared !== null && effective < declared)) return 1
  return unknown.length > 0 ? exitCodes.usage : 0
}
