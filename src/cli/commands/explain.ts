import { type Command, Option } from 'commander'
import { type Explanation, explanationSchema } from '../../api/index.ts'
import { exitCodes } from '../../domain/errors/index.ts'
import { explainForeignRunner, forgeReportIn } from '../../explain/index.ts'
import { findServer } from '../client/find-server.ts'
import { loadFor } from '../configuration.ts'
import { type Context, printResult, printText } from '../context.ts'
import { define } from '../define.ts'
import { explainLogFile } from '../explain-log-file.ts'
import { explanationMarkdown, explanationText } from '../output/explain/index.ts'
import { usage } from '../usage.ts'

interface ExplainOptions {
  readonly json?: boolean
  readonly markdown?: boolean
  readonly log?: string
  readonly kubeconfig?: string
  readonly namespace?: string
}

export function addExplain(program: Command, context: Context): void {
  const command = define(program, context, {
    name: 'explain',
    description:
      'Explain how a runner ended: verdict, evidence, what is ruled out, what is not known, what was done, what to do.',
    example: [
      'holdfast explain https://github.com/acme/web/actions/runs/31/job/87',
      'holdfast explain linux-3f5a2c81 --markdown',
      'holdfast explain --namespace arc-runners my-set-x7k2p-runner-9wq4d',
      'holdfast explain --namespace ci runner-t4ns81kwe-project-31-concurrent-0-k2p9wq4d',
      'kubectl logs my-runner | holdfast explain --log -',
    ].join('\n'),
    settings: 'client',
  })
    .argument(
      '[subject]',
      'a job (its number here or at the forge, installation:number, its URL), a runner, a pod (name, namespace/name or UID); job/…, runner/… and pod/… say which',
    )
    .addOption(new Option('--markdown', 'to paste into an issue').conflicts('json'))
    .addOption(
      new Option(
        '--log <file>',
        'judge by this log alone, without a server; - reads what is piped in',
      ).conflicts(['kubeconfig', 'namespace']),
    )
    .option(
      '--namespace <name>',
      "read the pod from its cluster alone, also one that is not Holdfast's, such as a runner of ARC or a job's pod of GitLab Runner; with a job's URL the forge names the pod, and its evidence is used too",
    )
    .option(
      '--kubeconfig <file>',
      'the same, in this cluster; else that of the settings (fleet.kubeconfig), or as kubectl finds it',
    )
  command.addHelpText('after', exitHelp)
  command.action(async (subject: string | undefined, options: ExplainOptions) => {
    const explanation = await explained(subject, options, command, context)
    if (options.markdown) printText(context, explanationMarkdown(explanation))
    else printResult(context, options, explanation, explanationText(explanation, context))
    if (!explanation.isReached) context.exitCode = exitCodes.noVerdict
  })
}

const exitHelp = `
Exit codes:
  0  a verdict was reached
  ${exitCodes.noVerdict}  it is known, and not how it ended: the verdict is "unknown" or
     "vanished", or nothing has ended yet
  ${exitCodes.notFound}  nothing is known under this name, or there is no such file
  ${exitCodes.usage}  the name may mean several things, or the command was not understood
  ${exitCodes.unavailable}  Holdfast or the cluster does not answer`

function explained(
  subject: string | undefined,
  options: ExplainOptions,
  command: Command,
  context: Context,
): Promise<Explanation> {
  if (options.log !== undefined) {
    if (subject !== undefined) throw usage('--log stands for itself: leave the subject out')
    return explainLogFile(options.log, context)
  }
  if (subject === undefined) throw usage('name a job, a runner or a pod, or give a log with --log')
  if (options.kubeconfig !== undefined || options.namespace !== undefined)
    return fromCluster(subject, options, command, context)
  return fromServer(subject, command, context)
}

async function fromServer(subject: string, command: Command, context: Context): Promise<Explanation> {
  const path = `/v1/explain/${encodeURIComponent(subject)}`
  return (await findServer(command, context)).get(path, explanationSchema)
}

async function fromCluster(
  subject: string,
  options: ExplainOptions,
  command: Command,
  context: Context,
): Promise<Explanation> {
  const answer = /^https?:/i.test(subject) ? await fromServer(subject, command, context) : null
  const name = answer === null ? subject : runnerIn(answer)
  const [, namespace, pod = ''] = /^(?:([^/]+)\/)?([^/]+)$/.exec(name.replace(/^(?:pod|runner)\//, '')) ?? []
  if (!/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(pod))
    throw usage(`"${subject}" is no name of a pod: expected lower-case letters, digits, dots and hyphens`)
  if (namespace !== undefined && options.namespace !== undefined && namespace !== options.namespace)
    throw usage(`"${subject}" and --namespace ${options.namespace} name two namespaces`)
  const runner = await context.roles.readForeignRunner(
    {
      pod,
      namespace: options.namespace ?? namespace,
      kubeconfig: options.kubeconfig ?? loadFor(command, context).config.fleet.kubeconfig,
    },
    context.signal,
  )
  return explainForeignRunner(runner, subject, context.clock.now(), answer && forgeReportIn(answer))
}

/** The runner that the forge names for the job; the server explains a job of ours better than its cluster alone. */
function runnerIn({ subject, runner, job }: Explanation): string {
  if (job === null || job.id !== null)
    throw usage('this job is one of Holdfast: leave --namespace and --kubeconfig out')
  if (runner === null) throw usage(`the forge names no runner of "${subject.asked}" yet`)
  return runner.name
}
