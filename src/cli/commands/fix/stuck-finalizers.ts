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
import { numberBetween } from '../number.ts'
import { runFix } from './run-fix.ts'

const minAgeSeconds = 300
const minAgeSecondsMax = 86_400

interface Options extends RemedyOptions, SetsOptions {
  readonly minAgeSeconds: number
}

/** Adds `fix stuck-finalizers`. */
export function addFixStuckFinalizers(fix: Command, context: Context): void {
  const command = define(fix, context, {
    name: 'stuck-finalizers',
    description:
      'Say why deleted runners of ARC do not go: where the forge refuses the credential with which ARC removes them, what repairs it. Once it is good again, plan to make ARC look at them at once (an annotation; no finalizer is touched), and with --apply do exactly that and see them go.',
    example: [
      'holdfast fix stuck-finalizers --scale-set arc-runners/linux',
      'holdfast fix stuck-finalizers --apply <hash of the plan>',
    ].join('\n'),
    settings: 'client',
  })
  addSetsOptions(command).option(
    '--min-age-seconds <seconds>',
    'how long ago a runner must have been deleted at least',
    numberBetween(0, minAgeSecondsMax),
    minAgeSeconds,
  )
  addRemedyOptions(command)
  command.action((options: Options) =>
    runFix(command, context, options, (kubeconfig) => ({
      remedy: 'stuck-finalizers',
      ...remedyOrder(options, kubeconfig, isSetChosen(options)),
      scope: { ...setsChoice(options), minAgeMs: options.minAgeSeconds * 1_000 },
    })),
  )
}
