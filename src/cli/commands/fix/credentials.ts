import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { define } from '../../define.ts'
import { addRemedyOptions, type RemedyOptions, remedyOrder } from '../../remedy/options.ts'
import { placeOf, secretNameOf } from '../../remedy/scale-set-option.ts'
import { usage } from '../../usage.ts'
import { runFix } from './run-fix.ts'

interface Options extends RemedyOptions {
  readonly scaleSet?: string
  readonly appSecret?: string
}

/** Adds `fix credentials`. */
export function addFixCredentials(fix: Command, context: Context): void {
  const command = define(fix, context, {
    name: 'credentials',
    description:
      "Give a set a GitHub App in place of a personal token: look at the App's Secret next to the set, ask the forge with it, and plan its copy to the listener's namespace; with --apply do exactly that. The set itself gets it by holdfast apply around your own command; after that, the same call proves the listener's session. Values are never shown: only hashes.",
    example: [
      'holdfast fix credentials --scale-set arc-runners/linux --app-secret arc-app',
      'holdfast fix credentials --apply <hash of the plan>',
    ].join('\n'),
    settings: 'client',
  })
  command
    .option('--scale-set <namespace/name>', 'this AutoscalingRunnerSet')
    .option('--app-secret <name>', "with the App, in the set's namespace; else the Secret that the set names")
  addRemedyOptions(command)
  command.action((options: Options) =>
    runFix(command, context, options, (kubeconfig) => {
      const { scaleSet, appSecret, apply } = options
      const order = remedyOrder(options, kubeconfig, scaleSet !== undefined || appSecret !== undefined)
      if (scaleSet === undefined && apply === undefined)
        throw usage('name the set: --scale-set <namespace/name>')
      const scope =
        scaleSet === undefined
          ? null
          : {
              scaleSet: placeOf(scaleSet),
              appSecret: appSecret === undefined ? null : secretNameOf(appSecret),
            }
      return { remedy: 'credentials', ...order, scope }
    }),
  )
}
