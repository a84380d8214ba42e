import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { decodeJit } from '../../../sim/forge/jit.ts'
import { createForgeClient, type ForgeClient, RunnerEnd } from '../../../sim/runner/client.ts'
import { acknowledge, askForJob } from '../../../src/poller/ask.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { Entropy } from '../../../src/ports/entropy.ts'
import { deedOf } from './script.ts'

export interface Surroundings {
  readonly url: string
  readonly pollMs: number
  readonly clock: Clock
  readonly entropy: Entropy
}

/** How a process with this life would have ended. */
export interface LifeEnd {
  readonly exitCode: number | null
  readonly signal: string | null
}

const refused = 78
const terminated = 143
const stopReportMs = 2_000

/**
 * A runner's whole life without a process: the poller's own questions to Holdfast, and the runner's own
 * conversation with its forge, both over HTTP. Only the job's script is played.
 */
export async function live(
  runner: { readonly name: string; readonly secret: string },
  { url, pollMs, clock, entropy }: Surroundings,
  stopped: AbortSignal,
): Promise<LifeEnd> {
  const asking = {
    url,
    pollMs,
    clock,
    entropy,
    signal: stopped,
    say: () => {},
    runner: runner.name,
    secret: runner.secret,
  }
  try {
    const answer = await askForJob(asking)
    if (answer.kind !== 'job') return exit(answer.kind === 'leave' ? 0 : refused)
    const acknowledgement = await acknowledge(asking, answer.attempt)
    if (acknowledgement.kind !== 'acknowledged') return exit(acknowledgement.kind === 'leave' ? 0 : refused)
    return await serve(answer.jit, stopped)
  } catch (error) {
    if (stopped.aborted) return exit(terminated)
    return exit(error instanceof RunnerEnd ? error.exitCode : 1)
  }
}

async function serve(jit: string, stopped: AbortSignal): Promise<LifeEnd> {
  const config = decodeJit(jit)
  if (config === null) return exit(1)
  const client = createForgeClient(config, randomUUID())
  await client.connect(stopped)
  const job = await client.nextJob(stopped)
  const { takesMs, end } = deedOf(job.script)
  const worked = await work(client, job.id, takesMs, config.renewEveryMs, stopped)
  if (worked === 'stopped') {
    await client.complete(job.id, 'cancelled', stopReportMs)
    return exit(terminated)
  }
  if (worked === 'lost') return exit(1)
  if (worked === 'cancelled') {
    await client.complete(job.id, 'cancelled', stopReportMs)
    return exit(0)
  }
  if (end === 'dies') return { exitCode: null, signal: 'SIGKILL' }
  await client.complete(job.id, end)
  return exit(0)
}

/** The time that the script takes, with the job's lock renewed as often as the forge asks for it. */
async function work(
  client: ForgeClient,
  jobId: number,
  takesMs: number,
  renewEveryMs: number,
  stopped: AbortSignal,
): Promise<'done' | 'stopped' | 'lost' | 'cancelled'> {
  const doneAt = performance.now() + takesMs
  for (;;) {
    const leftMs = doneAt - performance.now()
    if (leftMs <= 0) return 'done'
    await pause(Math.min(leftMs, renewEveryMs), undefined, { signal: stopped }).catch(() => {})
    if (stopped.aborted) return 'stopped'
    if (leftMs <= renewEveryMs) continue
    const renewed = await client.renew(jobId)
    if (renewed === 'lost' || renewed === 'cancelled') return renewed
  }
}

function exit(exitCode: number): LifeEnd {
  return { exitCode, signal: null }
}
