import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import path from 'node:path'
import { environmentOf } from './environment.ts'
import { isToRun } from './expressions.ts'
import { createLog, type JobLog } from './log.ts'
import { createMasker } from './masker.ts'
import { createReport, type Report } from './report.ts'
import { runStep, type StepPlace } from './run-step.ts'
import { type Result, type Service, type Task, Unregistered } from './service.ts'
import { type Plan, planOf } from './workflow.ts'

/** How long a job's result is retried while Gitea is down: only this runner can report it. */
const reportMsMax = 4 * 60_000
/** The same after a signal, which must not wait for a Gitea that does not answer. */
const stoppedReportMsMax = 2_000

export interface Surroundings {
  readonly service: Service
  readonly runnerName: string
  readonly workFolder: string
  readonly say: (line: string) => void
  /** Aborted when the runner receives a signal to stop. */
  readonly stopping: AbortSignal
}

/** `gone`: Gitea ended the job by itself. `unreported`: the job ended here, and its result did not reach Gitea. */
export type TaskEnd = 'reported' | 'gone' | 'stopped' | 'unreported'

/** Runs one task to its end: by its steps, by Gitea's answer that it is over, or by a signal. */
export async function runTask(task: Task, surroundings: Surroundings): Promise<TaskEnd> {
  const { service, runnerName, say, stopping } = surroundings
  const plan = planOf(task, runnerName)
  const context = task.context ?? {}
  const masker = createMasker([
    ...Object.values(task.secrets ?? {}),
    ...[context.token, context.gitea_runtime_token].filter((each) => typeof each === 'string'),
  ])
  const log = createLog(service, task.id)
  const show = (line: string): void => {
    const masked = masker.mask(line)
    say(masked)
    log.add(masked)
  }
  const report = createReport(service, task.id, plan.stepCount, log)
  const stop = AbortSignal.any([stopping, report.gone])
  show(
    `${runnerName} (a small runner of Holdfast: run steps only) received task ${task.id}, job ${plan.name}`,
  )
  const folder = makeFolder(surroundings.workFolder)
  try {
    const place = { ...folder, env: environmentOf(task, runnerName, folder) }
    const result = await runSteps(plan, needsFailed(task), place, report, show, stop)
    return await reportEnd(result, { log, report, stopping, say })
  } finally {
    log.abandon()
    report.close()
    rmSync(folder.root, { recursive: true, force: true, maxRetries: 3 })
  }
}

async function runSteps(
  plan: Plan,
  areNeedsFailed: boolean,
  place: StepPlace,
  report: Report,
  show: (line: string) => void,
  stop: AbortSignal,
): Promise<Result> {
  const refuse = (why: string): Result => {
    show(`Error: this runner does not do that: ${why}`)
    show('Error: it runs `run:` steps with sh or bash; use act_runner for everything else.')
    report.skipFrom(0)
    return 'RESULT_FAILURE'
  }
  if (plan.refusal !== null) return refuse(plan.refusal)
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), plan.timeoutMs)
  const either = AbortSignal.any([stop, late.signal])
  let isFailed = false
  try {
    if (!isToRun(plan.condition, { isFailed: areNeedsFailed, isCancelled: false })) {
      report.skipFrom(0)
      return 'RESULT_SKIPPED'
    }
    // All conditions are read before the first step runs: a job is refused whole or not at all.
    for (const { condition } of plan.steps) isToRun(condition, { isFailed, isCancelled: false })
    for (const [n, step] of plan.steps.entries()) {
      if (either.aborted) break
      if (!isToRun(step.condition, { isFailed, isCancelled: false })) {
        report.skip(n)
        continue
      }
      report.begin(n)
      const end = await runStep(step, n, place, show, either)
      report.end(n, end)
      if (end === 'failure' && !step.mayFail) isFailed = true
    }
  } catch (error) {
    return refuse((error as Error).message)
  } finally {
    clearTimeout(timer)
  }
  if (stop.aborted) return 'RESULT_CANCELLED'
  if (late.signal.aborted) show(`Error: the job took longer than ${plan.timeoutMs / 60_000} minutes.`)
  return isFailed || late.signal.aborted ? 'RESULT_FAILURE' : 'RESULT_SUCCESS'
}

/** The log first: with the result the runner is gone, and nothing more is taken from it. */
async function reportEnd(
  result: Result,
  given: {
    readonly log: JobLog
    readonly report: Report
    readonly stopping: AbortSignal
    readonly say: (line: string) => void
  },
): Promise<TaskEnd> {
  const { log, report, stopping, say } = given
  if (report.gone.aborted) {
    say('Gitea ended this job (cancelled, or taken for dead); its steps were ended.')
    return 'gone'
  }
  const withinMs = stopping.aborted ? stoppedReportMsMax : reportMsMax
  const resultName = result.replace('RESULT_', '').toLowerCase()
  try {
    await log.end(`Job ${resultName}`, withinMs).catch((error: unknown) => {
      if (error instanceof Unregistered) throw error
      say(`The log could not be sent whole: ${(error as Error).message}`)
    })
    await report.finish(result, withinMs)
    say(`Job completed with result: ${resultName}`)
  } catch (error) {
    // An answer that was lost looks the same as a job that was ended from outside: both are over at Gitea.
    if (error instanceof Unregistered) return stopping.aborted ? 'stopped' : 'gone'
    say(`Gitea did not take the result (${resultName}): ${(error as Error).message}`)
    return stopping.aborted ? 'stopped' : 'unreported'
  }
  return stopping.aborted ? 'stopped' : 'reported'
}

function needsFailed(task: Task): boolean {
  return Object.values(task.needs ?? {}).some(({ result }) => result !== 'RESULT_SUCCESS')
}

function makeFolder(workFolder: string) {
  mkdirSync(workFolder, { recursive: true })
  const root = mkdtempSync(path.join(workFolder, 'job-'))
  const workspace = path.join(root, 'work')
  const temporary = path.join(root, 'temp')
  mkdirSync(workspace)
  mkdirSync(temporary)
  return { root, workspace, temporary }
}
