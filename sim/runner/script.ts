import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AssignedJob } from './client.ts'
import { lineCutter } from './lines.ts'

/** How long a script may take to end when it is asked to. */
const termGraceMs = 2_000
/** Output that still comes after the end is waited for this long. */
const drainMsMax = 2_000

/** Passed on where they are set; by the HOLDFAST marks a host finds what a runner has started. */
const inherited = [
  ...['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'],
  ...['HOLDFAST_RUNNER', 'HOLDFAST_HOST'],
]

export interface RunningScript {
  readonly conclusion: Promise<'success' | 'failure'>
  /** Ends it and all that it started. */
  stop(): Promise<void>
}

/** Runs a job's script with `sh -e`, in a fresh folder, a process group of its own and a clean environment. */
export function startScript(
  job: AssignedJob,
  runnerName: string,
  workFolder: string,
  onLine: (line: string) => void,
): RunningScript {
  mkdirSync(workFolder, { recursive: true })
  const folder = mkdtempSync(path.join(workFolder, 'job-'))
  const cwd = path.join(folder, 'work')
  mkdirSync(cwd)
  const file = path.join(folder, 'script.sh')
  writeFileSync(file, job.script)
  const child = spawn('sh', ['-e', file], {
    cwd,
    env: environmentOf(job, runnerName, folder),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const output = [child.stdout, child.stderr].map((stream) => lineCutter(stream, onLine))
  const ended = endOf(child, onLine)
  const conclusion = ended.then(async (isSuccess) => {
    signalGroup(child, 'SIGKILL')
    await Promise.race([Promise.all(output), sleep(drainMsMax, undefined, { ref: false })])
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    return isSuccess ? 'success' : 'failure'
  })
  return {
    conclusion,
    async stop() {
      signalGroup(child, 'SIGTERM')
      const grace = new AbortController()
      await Promise.race([ended, sleep(termGraceMs, undefined, { signal: grace.signal }).catch(() => {})])
      grace.abort()
      signalGroup(child, 'SIGKILL')
      await conclusion
    },
  }
}

function endOf(child: ChildProcess, onLine: (line: string) => void): Promise<boolean> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      onLine(`Error: the shell could not be started: ${error.message}`)
      resolve(false)
    })
    child.once('exit', (code, signal) => {
      if (code !== 0)
        onLine(`Error: Process completed with ${signal ? `signal ${signal}` : `exit code ${code}`}.`)
      resolve(code === 0)
    })
  })
}

function signalGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // The group has ended.
  }
}

function environmentOf(job: AssignedJob, runnerName: string, folder: string): Record<string, string> {
  const kept = inherited.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    ...Object.fromEntries(kept),
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_REPOSITORY: job.repository,
    GITHUB_RUN_ID: String(job.runId),
    GITHUB_RUN_ATTEMPT: String(job.runAttempt),
    GITHUB_JOB: job.name,
    RUNNER_NAME: runnerName,
    RUNNER_TEMP: folder,
  }
}
