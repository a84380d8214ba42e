import type { Command } from 'commander'
import type { RemedyOrder, SetsChoice } from '../deps.ts'
import { usage } from '../usage.ts'
import { remedyExitHelp } from './exit.ts'
import { nameOf, placeOf, repeated } from './scale-set-option.ts'

/** The options that every remedy on a cluster has. */
export interface RemedyOptions {
  readonly json?: boolean
  readonly dryRun?: boolean
  readonly apply?: string
  readonly controllerNamespace: string
  readonly kubeconfig?: string
  readonly context?: string
}

export interface SetsOptions {
  readonly scaleSet?: readonly string[]
  readonly all?: boolean
  readonly namespace?: readonly string[]
}

export function addSetsOptions(command: Command): Command {
  return command
    .addOption(repeated('--scale-set <namespace/name>', 'this AutoscalingRunnerSet'))
    .option('--all', 'every AutoscalingRunnerSet')
    .addOption(repeated('--namespace <name>', 'with --all, only those in this namespace'))
}

export function addRemedyOptions(command: Command): Command {
  return command
    .option('--dry-run', 'only plan, which is the default')
    .option('--apply <hash>', 'apply exactly the plan of this hash, or nothing')
    .option('--controller-namespace <name>', "of ARC's controller and listeners", 'arc-systems')
    .option('--kubeconfig <file>', 'of the cluster; else fleet.kubeconfig, or as kubectl finds it')
    .option('--context <name>', 'of the kubeconfig; else its current one')
    .addHelpText('after', remedyExitHelp)
}

/** Where `--apply` is given, nothing else may choose: the plan says all of it. */
export function remedyOrder(
  options: RemedyOptions,
  kubeconfig: string | undefined,
  isOtherwiseChosen: boolean,
): RemedyOrder {
  const { apply, dryRun = false } = options
  if (apply !== undefined && (isOtherwiseChosen || dryRun))
    throw usage('--apply stands alone: the plan says what is changed, and how')
  return {
    apply: apply ?? null,
    isUnattended: false,
    controllerNamespace: nameOf(options.controllerNamespace),
    kubeconfig: options.kubeconfig ?? kubeconfig,
    context: options.context,
  }
}

/** Sets by name, or all of them; with `--apply` the plan names them. */
export function setsChoice(options: SetsOptions & Pick<RemedyOptions, 'apply'>): SetsChoice {
  const { scaleSet = [], all = false, namespace = [], apply } = options
  if (apply === undefined && scaleSet.length > 0 === all)
    throw usage('name the sets: either --scale-set <namespace/name>, or --all')
  if (namespace.length > 0 && !all) throw usage('--namespace narrows --all')
  return {
    sets: all ? null : scaleSet.map(placeOf),
    namespaces: namespace.length === 0 ? null : namespace.map(nameOf),
  }
}

export function isSetChosen({ scaleSet = [], all = false }: SetsOptions): boolean {
  return scaleSet.length > 0 || all
}
