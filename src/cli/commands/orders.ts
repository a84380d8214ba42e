import { stripVTControlCharacters } from 'node:util'
import type { Command } from 'commander'
import { type OrderDone, orderAnswerSchema } from '../../api/index.ts'
import { findServer } from '../client/find-server.ts'
import { type Context, printResult } from '../context.ts'
import { define } from '../define.ts'
import { printable } from '../output/printable.ts'
import { wrapped } from '../output/wrap.ts'
import { jobNameHelp } from './job.ts'

/** Long enough for the server to wait for the forge. */
const timeoutMs = 60_000

/** Adds the orders of an operator to the forge about one job. */
export function addOrders(program: Command, context: Context): void {
  const rerun = define(program, context, {
    name: 'rerun',
    description: 'Ask the forge to run a job again, or with --failed all failed jobs of its run.',
    example: 'holdfast rerun 12\nholdfast rerun 12 --failed',
    settings: 'client',
  })
    .argument('<job>', jobNameHelp)
    .option('--failed', 'all jobs of its run that failed, not this one alone')
  rerun.action(async (name: string, options: { json?: boolean; failed?: boolean }) => {
    const path = `${pathOf(name)}/rerun?failed=${options.failed === true}`
    const done = await (await findServer(rerun, context)).post(path, orderAnswerSchema, { timeoutMs })
    printResult(context, options, done, orderText(done, context))
  })

  const cancel = define(program, context, {
    name: 'cancel',
    description: 'Ask the forge to cancel the run that a job belongs to, with all its jobs.',
    example: 'holdfast cancel 12',
    settings: 'client',
  }).argument('<job>', jobNameHelp)
  cancel.action(async (name: string, options: { json?: boolean }) => {
    const done = await (await findServer(cancel, context)).post(`${pathOf(name)}/cancel`, orderAnswerSchema, {
      timeoutMs,
    })
    printResult(context, options, done, orderText(done, context))
  })

  const log = define(program, context, {
    name: 'log',
    description:
      "Show a job's log as the forge keeps it, its newest MiB; it needs the operator's token, also on this machine.",
    example: 'holdfast log 12',
    settings: 'client',
  }).argument('<job>', jobNameHelp)
  log.action(async (name: string, options: { json?: boolean }) => {
    const text = await (await findServer(log, context)).text(`${pathOf(name)}/log`, { timeoutMs })
    printResult(context, options, { job: name, log: text }, tame(text).trimEnd())
  })
}

function pathOf(name: string): string {
  return `/v1/jobs/${encodeURIComponent(name)}`
}

function orderText({ order, job, run, repository, name }: OrderDone, { width }: Context): string {
  const what = {
    rerun: `run job ${job} (${name} of ${repository}) again`,
    'rerun-failed': `run the failed jobs of run ${run} of ${repository} again`,
    cancel: `cancel run ${run} of ${repository}, to which job ${job} belongs`,
  }[order]
  return wrapped(printable(`The forge agreed to ${what}.`), '', 0, width).join('\n')
}

/** Removes terminal control sequences and keeps newlines and tabs. */
function tame(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll('\r\n', '\n')
    .replaceAll(/[^\P{Cc}\n\t]|\p{Cf}/gu, '')
}
