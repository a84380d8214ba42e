import { type Command, InvalidArgumentError } from 'commander'
import { type JobSummary, stateText } from '../../api/index.ts'
import { HoldfastError, isError } from '../../domain/errors/index.ts'
import type { Client } from '../client/client.ts'
import { findServer } from '../client/find-server.ts'
import { whyNotReady } from '../client/readiness.ts'
import { servedLabels } from '../client/served-labels.ts'
import { simulatedForgeOf } from '../client/simulated-forge.ts'
import { type Context, printResult, printText } from '../context.ts'
import { define } from '../define.ts'
import { find, hasEnded } from '../demo/follow.ts'
import { numberBetween } from './number.ts'
import { pause } from './pause.ts'
import { changeLine } from './watch-jobs.ts'

const secondsMax = 24 * 3_600
const secondsDefault = 600
const lookEveryMs = 300
/** A webhook takes a moment; a job that is unknown after this is named by the forge's number. */
const knownWithinMs = 5_000
/** The job was submitted, but no pool serves it now. */
const notTakenExit = 1
/** A job without progress for this long may wait for Holdfast itself. */
const readyLookMs = 2_000

interface SubmitOptions {
  readonly json?: boolean
  readonly repository: string
  readonly name: string
  readonly label: readonly string[]
  readonly script: string
  readonly wait?: boolean
  readonly timeout: number
}

export function addSubmit(program: Command, context: Context): void {
  const command = define(program, context, {
    name: 'submit',
    description:
      'Submit one job to the simulated forge; with --wait, follow it to its end. Exit code 1 where no pool serves its labels.',
    example: "holdfast submit --repository acme/web --name test --script 'echo hi' --wait",
    settings: 'client',
  })
    .option('--repository <owner/name>', 'the repository that it belongs to', readRepository, 'acme/web')
    .option('--name <name>', 'the name of the job', 'test')
    .option('--label <label...>', 'labels that its runner must have', ['self-hosted'])
    .requiredOption('--script <script>', 'what it runs, for sh')
    .option('--wait', 'wait for its end; exit code 7 where that is not a success')
    .option('--timeout <seconds>', 'give up waiting after this', numberBetween(1, secondsMax), secondsDefault)
  command.action(async (options: SubmitOptions) => {
    const server = await findServer(command, context)
    const { repository, name: jobName, label, script } = options
    const forge = await simulatedForgeOf(server, context)
    const isServed = (await servedLabels(server, label)) === 'served'
    if (!isServed && options.wait && !options.json) printText(context, unservedText(label))
    const forgeJobId = await forge.submit({ repository, name: jobName, labels: label, script })
    const limitMs = options.wait ? options.timeout * 1000 : knownWithinMs
    const job = await follow(
      server,
      { installation: forge.installation, forgeJobId },
      options,
      limitMs,
      context,
    )
    const value = { installation: forge.installation, forgeJobId, job }
    const name = `${forge.installation}:${forgeJobId}`
    printResult(
      context,
      options,
      { ...value, isServed },
      submittedText(name, job, { ...options, isServed }, context),
    )
    if (options.wait) judge(job, options, context)
    else if (!isServed || job === null) context.exitCode = notTakenExit
  })
}

function readRepository(text: string): string {
  if (!/^[\w.-]{1,39}\/[\w.-]{1,100}$/.test(text)) throw new InvalidArgumentError('Expected owner/name.')
  return text
}

/** Polls the job until it is known, or with --wait until it has ended. */
async function follow(
  server: Client,
  { installation, forgeJobId }: { readonly installation: string; readonly forgeJobId: number },
  options: SubmitOptions,
  limitMs: number,
  context: Context,
): Promise<JobSummary | null> {
  const deadline = context.clock.now() + limitMs
  let job: JobSummary | null = null
  let shown = ''
  const sayWhyNot = createWaitReporter(server, options, context)
  do {
    job = await find(server, installation, forgeJobId).catch((error: unknown) => passing(error, options, job))
    if (job?.state !== 'running') await sayWhyNot()
    if (job !== null && options.wait && !options.json && stateText(job) !== shown) {
      shown = stateText(job)
      printText(context, changeLine(job, job.endedAt ?? new Date(context.clock.now()).toISOString()))
    }
    if (options.wait ? hasEnded({ forgeJobId, job }) : job !== null) return job
  } while (context.clock.now() < deadline && (await pause(lookEveryMs, context)))
  return job
}

/** With --wait polling continues while the ledger is full or does not answer; without it the error is thrown at once. */
function passing(error: unknown, { wait }: SubmitOptions, known: JobSummary | null): JobSummary | null {
  const mayPass = isError(error, 'E_LEDGER_DISK_FULL') || isError(error, 'E_LEDGER_UNAVAILABLE')
  if (!wait || !mayPass) throw error
  return known
}

/** Prints why a job waits where Holdfast itself is the reason; each reason once. */
function createWaitReporter(server: Client, { wait, json }: SubmitOptions, context: Context) {
  let lookAt = context.clock.now() + readyLookMs
  let lastPrinted: string | null = null
  return async (): Promise<void> => {
    if (!wait || json || context.clock.now() < lookAt) return
    lookAt = context.clock.now() + readyLookMs
    const why = await whyNotReady(server, context)
    if (why !== null && why !== lastPrinted)
      printText(context, `Holdfast is not ready: ${why}. The job waits until it is.`)
    lastPrinted = why
  }
}

function submittedText(
  forgeName: string,
  job: JobSummary | null,
  { wait, label, isServed }: SubmitOptions & { readonly isServed: boolean },
  { self }: Context,
): string {
  if (job === null) {
    return `Submitted, but Holdfast has not received it within ${knownWithinMs / 1000} s; later: ${self} job ${forgeName}`
  }
  if (wait && job.endedAt !== null) return `Its story: ${self} job ${job.id}`
  const submitted = `Submitted: it is job ${job.id}. `
  if (isServed) return `${submitted}Its story: ${self} job ${job.id}`
  return `${submitted}${unservedText(label)} Why: ${self} why ${job.id}`
}

function unservedText(labels: readonly string[]): string {
  return `No pool serves the labels ${labels.join(', ')}: it waits until one does.`
}

/** Throws where the job did not end with success. With --json it sets the exit code only: the document has the outcome. */
function judge(job: JobSummary | null, options: SubmitOptions, context: Context): void {
  if (job?.outcome === 'success') return
  const error =
    job === null || job.endedAt === null
      ? new HoldfastError('E_WAIT_OVER', { what: 'The job did not end', seconds: options.timeout })
      : new HoldfastError('E_JOB_BAD_END', { job: job.id, outcome: job.outcome ?? job.state })
  if (!options.json) throw error
  context.exitCode = error.entry.exitCode
}
