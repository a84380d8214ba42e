import { Argument, type Command, Option } from 'commander'
import { readContract } from '../../contract-file/index.ts'
import { type Audit, type AuditOutcome, audits, outcomeOf } from '../../domain/audit/index.ts'
import { readGitlabConfig } from '../../gitlab-config/index.ts'
import { type Judged, judgeBy } from '../audit/judge.ts'
import { watchAudits } from '../audit/watch.ts'
import { type Context, printResult } from '../context.ts'
import { define } from '../define.ts'
import { auditPage } from '../output/audit/index.ts'
import { openSnapshot } from '../snapshot/open-snapshot.ts'
import { addSnapshotOptions, type SnapshotOptions } from '../snapshot/options.ts'
import { usage } from '../usage.ts'

interface AuditOptions extends SnapshotOptions {
  readonly json?: boolean
  readonly watch?: boolean
  readonly runner?: string
  readonly contract?: string
  readonly earlier?: string
  readonly file?: string
  readonly failOnStaleIdleListenerBlocker?: boolean
}

/** The class of `--fail-on-stale-idle-listener-blocker`, and its audit. */
const blocker = { class: 'stale-idle-listener-blocker', audit: 'runtime' } as const

const exitOf: Readonly<Record<AuditOutcome, number>> = { clean: 0, findings: 1, unjudged: 2 }

const exitHelp = `
Exit codes:
  0  everything was judged, and nothing is wrong
  1  something is wrong or at risk, whatever else could not be judged
  2  nothing was found, and not everything could be judged; or the command was
     not understood

All classes of findings: docs/reference/audits.md. The shape of --json:
docs/reference/audit.schema.json.`

/** Adds `audit`, which judges a fleet, or a snapshot of one, and changes nothing. */
export function addAudit(program: Command, context: Context): void {
  const command = define(program, context, {
    name: 'audit',
    description:
      'Judge a fleet, also one of ARC, by its facts: what is wrong, on what evidence, what must not be concluded, and the next allowed action. It reads only.',
    example: [
      'holdfast audit',
      'holdfast audit burst --label linux-large',
      'holdfast audit runtime --snapshot incident.snapshot.gz --json',
      'holdfast audit gitlab-toml --file config.toml',
    ].join('\n'),
    settings: 'client',
  })
    .addArgument(
      new Argument(
        '[name...]',
        'these audits only; without a name all of them; contract and gitlab-toml where their file is given',
      ).choices(audits.map(({ name }) => name)),
    )
    .addOption(
      new Option('--watch', 'read and judge again and again, and show what changed').conflicts('snapshot'),
    )
    .option('--runner <name>', 'only this runner')
    .option('--contract <file>', 'what this installation declares about itself: docs/contract-file.md')
    .option(
      '--file <config.toml>',
      "GitLab Runner's file, for gitlab-toml and gitlab: docs/audits/gitlab-toml.md",
    )
    .option('--earlier <file>', 'an earlier snapshot of the same fleet, for rates')
    .option(`--fail-on-${blocker.class}`, `the exit code speaks of this class of ${blocker.audit} alone`)
  addSnapshotOptions(command, { withFile: true })
  command.addHelpText('after', exitHelp)
  command.action(async (names: readonly string[], options: AuditOptions) => {
    const { run } = await judged(names, options, command, context)
    const onlyClass = options.failOnStaleIdleListenerBlocker ? blocker.class : null
    context.exitCode = exitOf[outcomeOf(run, onlyClass)]
  })
}

async function judged(
  names: readonly string[],
  options: AuditOptions,
  command: Command,
  context: Context,
): Promise<Judged> {
  const chosen = chosenAudits(names, options)
  if (options.failOnStaleIdleListenerBlocker && !chosen.some(({ name }) => name === blocker.audit))
    throw usage(`--fail-on-${blocker.class} needs the audit ${blocker.audit}`)
  const narrowed = {
    labels: options.label ?? null,
    namespaces: options.namespace ?? null,
    nodes: options.node ?? null,
    runner: options.runner ?? null,
  }
  const contract = options.contract === undefined ? null : readContract(options.contract, context.readFile)
  const gitlabConfig = options.file === undefined ? null : readGitlabConfig(options.file, context.readFile)
  const judge = judgeBy({ audits: chosen, contract, gitlabConfig, narrowed }, context)
  // A file can be judged without any fleet: what rests on one is unjudged then.
  const mayBeEmpty = chosen.every(({ needs }) => needs === 'gitlab-config') && gitlabConfig !== null
  const collect = () => openSnapshot(command, context, { mayBeEmpty })
  const earlier = options.earlier === undefined ? null : await context.roles.readSnapshot(options.earlier)
  if (options.watch) return watchAudits({ collect, judge, isJson: options.json === true }, earlier, context)
  const result = judge(await collect(), earlier)
  printResult(context, options, result.report, auditPage(result.report, context))
  return result
}

/** The named audits; else all that can judge: one that needs a file is asked for by its name, or with that file. */
function chosenAudits(names: readonly string[], { contract, file }: AuditOptions): readonly Audit[] {
  if (names.length > 0) return audits.filter(({ name }) => names.includes(name))
  const given = { contract: contract !== undefined, 'gitlab-config': file !== undefined }
  return audits.filter(({ needs }) => needs === undefined || given[needs])
}
