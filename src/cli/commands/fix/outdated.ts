import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { define } from '../../define.ts'
import {
  addRemedyOptions,
  addSetsOptions,
  isSetChosen,
  type RemedyOptions,
  remedyOrder,
  type SetsOptions,
  setsChoice,
} from '../../remedy/options.ts'
import { repeated } from '../../remedy/scale-set-option.ts'
import { runFix } from './run-fix.ts'

interface Options extends RemedyOptions, SetsOptions {
  readonly imageRenewed?: readonly string[]
}

/** Adds `fix outdated`. */
export function addFixOutdated(fix: Command, context: Context): void {
  const command = define(fix, context, {
    name: 'outdated',
    description:
      "Say what brings a set back that ARC took down because the forge refused its runners' version: a newer image in its source. Where one stands behind the same tag, plan to let ARC make the set again, and with --apply do exactly that.",
    example: [
      'holdfast fix outdated --scale-set arc-runners/linux',
      'holdfast fix outdated --all --image-renewed ghcr.io/acme/runner:stable',
      'holdfast fix outdated --apply <hash of the plan>',
    ].join('\n'),
    settings: 'client',
  })
  addSetsOptions(command).addOption(
    repeated('--image-renewed <image>', 'you replaced what stands behind this tag by a newer runner'),
  )
  addRemedyOptions(command)
  command.action((options: Options) =>
    runFix(command, context, options, (kubeconfig) => {
      const { imageRenewed: renewed = [] } = options
      const isChosen = isSetChosen(options) || renewed.length > 0
      return {
        remedy: 'outdated',
        ...remedyOrder(options, kubeconfig, isChosen),
        scope: { ...setsChoice(options), renewed },
      }
    }),
  )
}
