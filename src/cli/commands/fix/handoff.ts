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
import { usage } from '../../usage.ts'
import { numberBetween } from '../number.ts'
import { runFix } from './run-fix.ts'

const minWaitSeconds = 300
const minWaitSecondsMax = 86_400

interface Options extends RemedyOptions, SetsOptions {
  readonly repository?: string
  readonly minWaitSeconds: number
  readonly withoutWorker?: readonly string[]
}

/** Adds `fix handoff`. */
export function addFixHandoff(fix: Command, context: Context): void {
  const command = define(fix, context, {
    name: 'handoff',
    description:
      'Plan the removal of the one runner that keeps a lane of one slot for a job that is over, while the next job waits; with --apply do exactly that, and see the next job start.',
    example: [
      'holdfast fix handoff --scale-set arc-runners/release',
      'holdfast fix handoff --apply <hash of the plan>',
    ].join('\n'),
    settings: 'client',
  })
  addSetsOptions(command)
    .option('--repository <owner/name>', 'where the next job waits; else every one of the set')
    .option(
      '--min-wait-seconds <seconds>',
      'how long the job must have waited at least',
      numberBetween(0, minWaitSecondsMax),
      minWaitSeconds,
    )
    .addOption(
      repeated('--without-worker <runner>', 'you looked into its pod, and no Runner.Worker runs there'),
    )
  addRemedyOptions(command)
  command.action((options: Options) =>
    runFix(command, context, options, (kubeconfig) => {
      const { repository, withoutWorker = [] } = options
      const isChosen = isSetChosen(options) || repository !== undefined || withoutWorker.length > 0
      return {
        remedy: 'handoff',
        ...remedyOrder(options, kubeconfig, isChosen),
        scope: {
          ...setsChoice(options),
          repository: repository === undefined ? null : repositoryOf(repository),
          minWaitMs: options.minWaitSeconds * 1_000,
          withoutWorker,
        },
      }
    }),
  )
}

function repositoryOf(text: string): string {
  if (/^[\w.-]+\/[\w.-]+$/.test(text)) return text
  throw usage(`--repository: expected owner/name, such as acme/web; got ${text}`)
}
