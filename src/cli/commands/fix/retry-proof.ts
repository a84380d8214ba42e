import type { Command } from 'commander'
import { readContract } from '../../../contract-file/index.ts'
import type { RetryProofScope } from '../../../domain/remedy/index.ts'
import { meaningsOf } from '../../../explain/index.ts'
import type { Context } from '../../context.ts'
import { define } from '../../define.ts'
import { remedyExitHelp } from '../../remedy/exit.ts'
import type { RemedyOptions } from '../../remedy/options.ts'
import { usage } from '../../usage.ts'
import { numberBetween } from '../number.ts'
import { runFix } from './run-fix.ts'

const waitMinutes = 60
const waitMinutesMax = 24 * 60

interface Options extends Pick<RemedyOptions, 'json' | 'dryRun' | 'apply'> {
  readonly contract?: string
  readonly waitMinutes: number
}

/** Adds `fix retry-proof`. */
export function addFixRetryProof(fix: Command, context: Context): void {
  const command = define(fix, context, {
    name: 'retry-proof',
    description:
      'Plan to run a job again, once, that the contract file declares as a platform proof and that ended by signal 9 at the edge of its memory; with --apply do exactly that and wait for its result. A pass on the same commit is the result; two failures are for a person.',
    example: [
      'holdfast fix retry-proof --contract fleet.yaml \\\n    https://github.com/acme/platform/actions/runs/31/job/87',
      'holdfast fix retry-proof --apply <hash of the plan>',
    ].join('\n'),
    settings: 'client',
  })
    .argument('[job]', 'the URL of the job that failed')
    .option('--contract <file>', 'the contract file that declares it: docs/contract-file.md')
    .option(
      '--wait-minutes <minutes>',
      'how long the result is waited for',
      numberBetween(0, waitMinutesMax),
      waitMinutes,
    )
    .option('--dry-run', 'only plan, which is the default')
    .option('--apply <hash>', 'apply exactly the plan of this hash, or nothing')
    .addHelpText('after', remedyExitHelp)
  command.action((asked: string | undefined, options: Options) =>
    runFix(command, context, { ...options, controllerNamespace: '' }, () => ({
      remedy: 'retry-proof',
      apply: options.apply ?? null,
      isUnattended: false,
      controllerNamespace: '',
      kubeconfig: undefined,
      context: undefined,
      scope: scopeOf(asked, options, context),
    })),
  )
}

/** With `--apply` the plan says all of it: null. */
function scopeOf(asked: string | undefined, options: Options, { readFile }: Context): RetryProofScope | null {
  const { apply, contract, dryRun = false, waitMinutes: minutes } = options
  if (apply !== undefined) {
    if (asked !== undefined || contract !== undefined || dryRun)
      throw usage('--apply stands alone: the plan says what is changed, and how')
    return null
  }
  const job = asked === undefined ? undefined : meaningsOf(asked).find(({ kind }) => kind === 'job-url')
  if (job?.kind !== 'job-url')
    throw usage(
      `name the job: expected https://<forge>/<owner>/<repository>/actions/runs/<run>/job/<job>; got ${asked ?? 'nothing'}`,
    )
  if (contract === undefined)
    throw usage('--contract <file> is needed: it declares which jobs are platform proofs')
  const { platformProofs: declared } = readContract(contract, readFile)
  const { repository, forgeJobId: jobId } = job
  return { repository, jobId, declared, waitMs: minutes * 60_000 }
}
