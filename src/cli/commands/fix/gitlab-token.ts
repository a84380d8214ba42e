import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { define } from '../../define.ts'
import { remedyExitHelp } from '../../remedy/exit.ts'
import { type RemedyOptions, remedyOrder } from '../../remedy/options.ts'
import { nameOf, placeOf, repeated } from '../../remedy/scale-set-option.ts'
import { usage } from '../../usage.ts'
import { runFix } from './run-fix.ts'

interface Options extends Omit<RemedyOptions, 'controllerNamespace'> {
  readonly deployment?: string
  readonly jobNamespace?: readonly string[]
}

/** Adds `fix gitlab-token`. */
export function addFixGitlabToken(fix: Command, context: Context): void {
  const command = define(fix, context, {
    name: 'gitlab-token',
    description:
      'Plan the restart of the one manager of GitLab Runner whose token GitLab refuses, while its Secret has a newer one that GitLab accepts and no job runs; with --apply do exactly that, and see it online. GitLab is asked with the token of HOLDFAST_GITLAB_TOKEN; no value is ever shown.',
    example: [
      'holdfast fix gitlab-token --deployment ci/gitlab-runner',
      'holdfast fix gitlab-token --apply <hash of the plan>',
    ].join('\n'),
    settings: 'client',
  })
  command
    .option('--deployment <namespace/name>', 'of the manager')
    .addOption(
      repeated('--job-namespace <name>', "where its jobs' pods are; else the namespace of the manager"),
    )
    .option('--dry-run', 'only plan, which is the default')
    .option('--apply <hash>', 'apply exactly the plan of this hash, or nothing')
    .option('--kubeconfig <file>', 'of the cluster; else fleet.kubeconfig, or as kubectl finds it')
    .option('--context <name>', 'of the kubeconfig; else its current one')
    .addHelpText('after', remedyExitHelp)
  command.action((options: Options) => {
    // There is no controller of ARC to look for.
    const own = { ...options, controllerNamespace: 'none' }
    return runFix(command, context, own, (kubeconfig) => {
      const { deployment, jobNamespace = [], apply } = options
      const isChosen = deployment !== undefined || jobNamespace.length > 0
      const order = remedyOrder(own, kubeconfig, isChosen)
      if (deployment === undefined && apply === undefined)
        throw usage('name the manager: --deployment <namespace/name>')
      const place = deployment === undefined ? null : placeOf(deployment)
      const jobNamespaces = jobNamespace.map(nameOf)
      const scope =
        place === null
          ? null
          : {
              deployment: place,
              jobNamespaces: jobNamespaces.length === 0 ? [place.namespace] : jobNamespaces,
            }
      return { remedy: 'gitlab-token', ...order, scope }
    })
  })
}
