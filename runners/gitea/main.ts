import { readFileSync, unlinkSync } from 'node:fs'
import { constants } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Credentials, decodeCredentials } from './credentials.ts'
import { runTask } from './run-task.ts'
import { createService, Refused, type Service, type Task, Unregistered } from './service.ts'

/*
 * A small runner for Gitea, for tests and simple workflows: it executes `run:` steps with sh or bash, with env,
 * working-directory and timeouts; everything else is refused with a clear line in the job's log. It takes one job.
 *   --jitconfig-file <path>  [--work-folder <path>]
 * The file holds the runner's credentials, and is unlinked as soon as it is read.
 */
const exitUsage = 64
/** As GitHub's listener ends: it makes no sense to come again; it may be tried again. */
const exitTerminated = 1
const exitRetryable = 2
const version = 'holdfast-run-steps'

/** A Gitea that restarts is waited for; one that is gone is not. */
const unreachableMsMax = 4 * 60_000
const askEveryMs = 1_000
/** The job that we were started for may have gone to another runner: then nobody needs us. */
const noTaskMsMax = 5 * 60_000
/** Gitea gives one task to this runner, once. If its answer was lost, no further question brings it back. */
const lostAnswerMsMax = 15_000
const lostAnswer = 'An answer of Gitea was lost, and no job came after it: it may have given us one in it.'

const say = (line: string): void => void process.stdout.write(`${line}\n`)
// The reader of our output may have died: that is no reason to fail a job.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

process.exit(await main())

async function main(): Promise<number> {
  const settings = readSettings()
  if (typeof settings === 'string') {
    process.stderr.write(`${settings}\n`)
    return exitUsage
  }
  const { credentials, workFolder } = settings
  const stopping = new AbortController()
  let stopCode = 0
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      stopCode ||= 128 + constants.signals[signal]
      stopping.abort()
    })
  }
  try {
    const service = createService(credentials, version)
    await service.declare(unreachableMsMax, stopping.signal)
    say('√ Connected to Gitea')
    say('Listening for Jobs')
    const task = await nextTask(service, stopping.signal)
    if (typeof task === 'string') {
      say(task)
      return exitRetryable
    }
    const runnerName = credentials.name
    const end = await runTask(task, { service, runnerName, workFolder, say, stopping: stopping.signal })
    if (end === 'stopped') return stopCode
    return end === 'unreported' ? exitRetryable : 0
  } catch (error) {
    if (stopping.signal.aborted) return stopCode
    say(`The runner ends: ${error instanceof Error ? error.message : String(error)}`)
    return error instanceof Unregistered || error instanceof Refused ? exitTerminated : exitRetryable
  }
}

/** The one task, or why there will be none. */
async function nextTask(service: Service, signal: AbortSignal): Promise<Task | string> {
  const startedAt = performance.now()
  let answeredAt = startedAt
  let lostAt: number | null = null
  for (;;) {
    signal.throwIfAborted()
    try {
      const task = await service.fetchTask(signal)
      if (task !== null) return task
      answeredAt = performance.now()
      if (lostAt !== null && answeredAt - lostAt > lostAnswerMsMax) return lostAnswer
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof Unregistered && lostAt !== null) return lostAnswer
      if (error instanceof Unregistered || error instanceof Refused) throw error
      lostAt ??= performance.now()
      if (performance.now() - answeredAt > unreachableMsMax) throw error
    }
    if (answeredAt - startedAt > noTaskMsMax) return 'Gitea had no job for this runner for too long.'
    await sleep(askEveryMs, undefined, { signal })
  }
}

function readSettings(): { credentials: Credentials; workFolder: string } | string {
  try {
    const { values } = parseArgs({
      options: { 'jitconfig-file': { type: 'string' }, 'work-folder': { type: 'string', default: '_work' } },
    })
    const file = values['jitconfig-file']
    if (file === undefined) return '--jitconfig-file: expected a path, got nothing'
    const encoded = readFileSync(file, 'utf8')
    unlinkSync(file)
    const credentials = decodeCredentials(encoded)
    if (credentials === null) return `${file}: expected the credentials of a runner of Gitea in base64`
    return { credentials, workFolder: path.resolve(values['work-folder']) }
  } catch (error) {
    return (error as Error).message
  }
}
