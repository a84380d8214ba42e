import type { Command } from 'commander'
import type { ProbeKind } from '../../../domain/remedy/index.ts'
import { loadFor } from '../../configuration.ts'
import { type Context, printResult } from '../../context.ts'
import { define } from '../../define.ts'
import { probeText } from '../../output/probe.ts'
import { nameOf, repeated } from '../../remedy/scale-set-option.ts'
import { probeExitCode, probeExitHelp } from './exit.ts'
import { addLaneOptions, addPlanOptions, type ProbeOptions, probeAct } from './options.ts'

const always = 'The pod has a deadline and is removed always.'

const descriptions: Readonly<Record<ProbeKind, string>> = {
  'nix-cache': `Plan a pod that has a lane's image, place and variables, and asks for its Nix cache; with --apply make it: does the server answer, and has it the cache of that name? ${always}`,
  'npm-tls': `Plan a pod that has a lane's image and looks at its CA files and at the certificates of an npm registry; with --apply make it: are the files there, and are the certificates trusted? ${always}`,
  'image-pull': `Plan a pod that pulls a lane's image with the lane's pull secret, before a cold node needs it; with --apply make it: pulled, refused or not found? ${always}`,
}

/** Adds `probe`: questions that only a pod in the lane can answer, each the plan by default. */
export function addProbe(program: Command, context: Context): void {
  const probe = program
    .command('probe')
    .description(
      'Ask from inside a lane, by a pod of ours: a plan first, and with --apply exactly that (docs/remedies.md).',
    )
  for (const kind of ['nix-cache', 'npm-tls', 'image-pull'] as const) {
    const registry = kind === 'npm-tls' ? ' --registry npm.acme.io' : ''
    const example = `--scale-set arc-runners/linux${registry}`
    const command = defined(probe, context, kind, descriptions[kind], example)
    addLaneOptions(command)
    if (kind === 'image-pull') command.option('--node <name>', 'on this node; else wherever the lane may run')
    if (kind === 'npm-tls')
      command.option('--registry <host[:port]>', 'whose certificates: the host that the build asks')
    finish(command, context, kind)
  }
  const clean = defined(
    probe,
    context,
    'clean',
    'Plan the removal of pods that probes left when they were killed, once their time is over, and with --apply do exactly that. The next probe in the namespace does it as well.',
    '--namespace arc-runners',
  )
  clean.addOption(repeated('--namespace <name>', 'where to look'))
  finish(clean, context, 'clean')
}

function defined(
  parent: Command,
  context: Context,
  name: ProbeKind | 'clean',
  description: string,
  chosen: string,
): Command {
  const example = `holdfast probe ${name} ${chosen}\nholdfast probe ${name} --apply <hash of the plan>`
  return define(parent, context, { name, description, example, settings: 'client' })
}

function finish(command: Command, context: Context, of: ProbeKind | 'clean'): void {
  addPlanOptions(command).addHelpText('after', probeExitHelp)
  command.action(async (options: ProbeOptions) => {
    const act = probeAct(of, {
      ...options,
      ...(options.namespace && { namespace: options.namespace.map(nameOf) }),
    })
    const { config } = loadFor(command, context)
    const access = { kubeconfig: options.kubeconfig ?? config.fleet.kubeconfig, context: options.context }
    const report = await context.roles.probe(config, { act, ...access }, context.signal)
    printResult(context, options, report, probeText(report, of, context))
    context.exitCode = probeExitCode(report)
  })
}
