import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { eachLine } from './lines.ts'
import type { Step } from './workflow.ts'

/** How long a step may take to end when it is asked to. */
const termGraceMs = 2_000
/** Output that still comes after the end is waited for this long. */
const drainMsMax = 2_000

export interface StepPlace {
  /** Of the job: steps work in it, one after the other. */
  readonly workspace: string
  /** For the scripts themselves. */
  readonly temporary: string
  readonly env: Readonly<Record<string, string>>
}

export type StepEnd = 'success' | 'failure' | 'stopped'

/** Runs one step's script in a process group of its own, and ends all that it started with it. */
export async function runStep(
  step: Step,
  n: number,
  place: StepPlace,
  onLine: (line: string) => void,
  stop: AbortSignal,
): Promise<StepEnd> {
  const cwd = path.resolve(place.workspace, step.folder)
  const file = path.join(place.temporary, `step-${n}.sh`)
  mkdirSync(cwd, { recursive: true })
  writeFileSync(file, step.script, { mode: 0o600 })
  const child = spawn(step.shell, ['-e', file], {
    cwd,
    env: { ...place.env, ...step.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const output = [child.stdout, child.stderr].map((stream) => eachLine(stream, onLine))
  const ended = endOf(child, onLine)
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), step.timeoutMs)
  const interrupted = abortOf(AbortSignal.any([stop, late.signal]))
  const end = await Promise.race([ended, interrupted])
  clearTimeout(timer)
  if (end === 'interrupted') await terminate(child, ended)
  signalGroup(child, 'SIGKILL') // what it left behind
  await Promise.race([Promise.all(output), sleep(drainMsMax, undefined, { ref: false })])
  child.stdout.destroy()
  child.stderr.destroy()
  if (stop.aborted) return 'stopped'
  if (late.signal.aborted) onLine(`Error: the step took longer than ${step.timeoutMs / 60_000} minutes.`)
  return end === true ? 'success' : 'failure'
}

async function terminate(child: ChildProcess, ended: Promise<boolean>): Promise<void> {
  signalGroup(child, 'SIGTERM')
  const grace = new AbortController()
  await Promise.race([ended, sleep(termGraceMs, undefined, { signal: grace.signal }).catch(() => {})])
  grace.abort()
}

function endOf(child: ChildProcess, onLine: (line: string) => void): Promise<boolean> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      onLine(`Error: the shell could not be started: ${error.message}`)
      resolve(false)
    })
    child.once('exit', (code, signal) => {
      if (code !== 0) onLine(`Error: Process completed with ${signal ?? `exit code ${code}`}.`)
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

function abortOf(signal: AbortSignal): Promise<'interrupted'> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve('interrupted')
    signal.addEventListener('abort', () => resolve('interrupted'), { once: true })
  })
}
