import { readFile, rm } from 'node:fs/promises'
import { flushCompileCache } from 'node:module'
import { reasonOf } from '../domain/reason.ts'
import { createClock } from '../platform/clock.ts'
import { createEntropy } from '../platform/entropy.ts'
import { type Asking, acknowledge, askForJob, type Goodbye } from './ask.ts'
import { type PollerSettings, readSettings } from './environment.ts'
import { type Running, runRunner } from './run-runner.ts'

/*
 * The program of each local runner: authenticates, waits for one job, runs the runner's program on it, and ends as that
 * ends. It exits with 0 when Holdfast asks it to leave, 78 when it is refused or misconfigured.
 */
const exitRefused = 78
const signalCodes = { SIGTERM: 143, SIGINT: 130 } as const

const stopped = new AbortController()
let exitOnStop: number = signalCodes.SIGTERM
let running: Running | undefined
for (const signal of Object.keys(signalCodes) as (keyof typeof signalCodes)[]) {
  process.on(signal, () => {
    exitOnStop = signalCodes[signal]
    stopped.abort()
    running?.child.kill(signal)
  })
}

process.exitCode = await main().catch((error: unknown) => {
  if (stopped.signal.aborted) return exitOnStop
  say(reasonOf(error))
  return 1
})

async function main(): Promise<number> {
  const settings = readSettings(process.env)
  if (typeof settings === 'string') return refuse(`cannot run: ${settings}`)
  const secret = await takeSecret(settings.secretFile)
  if (secret === '') return refuse(`cannot run: no secret in ${settings.secretFile}; it is read once only`)
  const jit = await obtain(settings, secret)
  if (typeof jit !== 'string') return goodbye(jit)
  stopped.signal.throwIfAborted()
  running = await runRunner(settings, jit)
  if (stopped.signal.aborted) running.child.kill('SIGTERM') // the stop came while the program was being started
  return running.exitCode
}

/** Reads and unlinks the secret, so that the job finds no file with it. */
async function takeSecret(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '')
  await rm(file, { force: true })
  return text.trim()
}

/** The configuration of an acknowledged job, or the reason to leave. */
async function obtain({ url, runner, pollMs }: PollerSettings, secret: string): Promise<string | Goodbye> {
  const signal = stopped.signal
  const asking: Asking = {
    url,
    runner,
    pollMs,
    secret,
    clock: createClock(),
    entropy: createEntropy(),
    say,
    signal,
  }
  setImmediate(flushCompileCache) // for the next poller, while the poll is in flight
  const answer = await askForJob(asking)
  if (answer.kind !== 'job') return answer
  say(`got job ${answer.job}`)
  const acknowledged = await acknowledge(asking, answer.attempt)
  return acknowledged.kind === 'acknowledged' ? answer.jit : acknowledged
}

function goodbye(answer: Goodbye): number {
  if (answer.kind === 'refused') return refuse(`Holdfast refused this runner (${answer.status})`)
  say('Holdfast wants this runner to leave')
  return 0
}

function refuse(line: string): number {
  say(line)
  return exitRefused
}

function say(line: string): void {
  process.stderr.write(`holdfast poller: ${line}\n`)
}
