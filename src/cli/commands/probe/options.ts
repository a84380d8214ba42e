import type { Command } from 'commander'
import { deadlineSecondsMax, type ProbeKind } from '../../../domain/remedy/index.ts'
import type { ProbeWish } from '../../deps.ts'
import { placeOf } from '../../remedy/scale-set-option.ts'
import { usage } from '../../usage.ts'
import { numberBetween } from '../number.ts'

const deadlineSecondsMin = 10
const deadlineSecondsDefault = 300

export interface ProbeOptions {
  readonly json?: boolean
  readonly scaleSet?: string
  readonly node?: string
  readonly registry?: string
  readonly namespace?: readonly string[]
  readonly deadlineSeconds?: number
  readonly dryRun?: boolean
  readonly apply?: string
  readonly kubeconfig?: string
  readonly context?: string
}

export function addLaneOptions(command: Command): Command {
  return command
    .option('--scale-set <namespace/name>', 'the lane: an AutoscalingRunnerSet')
    .option(
      '--deadline-seconds <seconds>',
      `the pod is stopped after so long, its pull included; else ${deadlineSecondsDefault}`,
      numberBetween(deadlineSecondsMin, deadlineSecondsMax),
    )
}

export function addPlanOptions(command: Command): Command {
  return command
    .option('--dry-run', 'only plan, which is the default')
    .option('--apply <hash>', 'apply exactly the plan of this hash, or nothing')
    .option('--kubeconfig <file>', 'of the cluster; else fleet.kubeconfig, or as kubectl finds it')
    .option('--context <name>', 'of the kubeconfig; else its current one')
}

/** With `--apply` nothing else may choose: the plan says all of it. */
export function probeAct(of: ProbeKind | 'clean', options: ProbeOptions): ProbeWish['act'] {
  const { apply, dryRun, scaleSet, node, registry, namespace, deadlineSeconds } = options
  if (apply !== undefined) {
    const others = [dryRun, scaleSet, node, registry, namespace, deadlineSeconds]
    if (others.some((each) => each !== undefined))
      throw usage('--apply stands alone: the plan says what is made, and from what')
    return { apply, of }
  }
  if (of === 'clean') {
    if (namespace === undefined) throw usage('name where to look: --namespace <name>')
    return { plan: of, namespaces: namespace }
  }
  if (scaleSet === undefined) throw usage('name the lane: --scale-set <namespace/name>')
  return {
    plan: of,
    scope: {
      set: placeOf(scaleSet),
      node: node === undefined ? null : nodeOf(node),
      registry: of === 'npm-tls' ? hostOf(registry) : null,
      deadlineSeconds: deadlineSeconds ?? deadlineSecondsDefault,
    },
  }
}

function nodeOf(text: string): string {
  if (/^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/.test(text)) return text
  throw usage(`--node: expected the name of a node; got ${text}`)
}

function hostOf(text: string | undefined): string {
  if (text === undefined) throw usage('name the registry that the build asks: --registry <host[:port]>')
  if (/^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?::\d{1,5})?$/i.test(text)) return text
  throw usage(`--registry: expected a host, perhaps with a port, such as npm.example.com:8443; got ${text}`)
}
