import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { define } from '../../define.ts'
import { addRemedyOptions, type RemedyOptions, remedyOrder } from '../../remedy/options.ts'
import { nameOf, repeated } from '../../remedy/scale-set-option.ts'
import { usage } from '../../usage.ts'
import { runFix } from './run-fix.ts'

interface Options extends RemedyOptions {
  readonly namespace?: readonly string[]
  readonly gitlabUrl?: string
}

/** Adds `fix gitlab-orphans`. */
export function addFixGitlabOrphans(fix: Command, context: Context): void {
  const command = define(fix, context, {
    name: 'gitlab-orphans',
    description:
      'Plan the removal of job pods of GitLab Runner whose manager is gone and whose job is over, and with --apply do exactly that, one by one. GitLab says whether a job is over; where it is not asked, only pods go whose containers or whose time ended long ago.',
    example: [
      'holdfast fix gitlab-orphans --namespace ci --gitlab-url https://git.acme.io',
      'holdfast fix gitlab-orphans --namespace ci',
      'holdfast fix gitlab-orphans --apply <hash of the plan>',
    ].join('\n'),
    settings: 'client',
  })
    .addOption(repeated('--namespace <name>', 'where the job pods are'))
    .option('--gitlab-url <url>', 'of the GitLab of the jobs, which is asked with HOLDFAST_GITLAB_TOKEN')
  addRemedyOptions(command)
  command.action((options: Options) =>
    runFix(command, context, options, (kubeconfig) => {
      const { namespace = [], apply } = options
      if (apply === undefined && namespace.length === 0)
        throw usage('name the namespace of the job pods: --namespace <name>')
      return {
        remedy: 'gitlab-orphans',
        ...remedyOrder(options, kubeconfig, namespace.length > 0),
        scope: {
          namespaces: namespace.map(nameOf),
          gitlab: gitlabOf(options.gitlabUrl),
        },
      }
    }),
  )
}

function gitlabOf(text: string | undefined): string | null {
  if (text === undefined) return null
  const url = URL.parse(text)
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  if (!isPlain || url.search !== '' || url.hash !== '')
    throw usage(
      '--gitlab-url: expected an address such as https://gitlab.example.com, without a name or a token in it',
    )
  return url.href.replace(/\/+$/, '')
}
