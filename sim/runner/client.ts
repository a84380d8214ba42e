import { setTimeout as sleep } from 'node:timers/promises'
import type { JitConfig } from '../forge/jit.ts'

/** A job as the forge gives it to a runner. */
export interface AssignedJob {
  readonly id: number
  readonly name: string
  readonly runId: number
  readonly runAttempt: number
  readonly repository: string
  readonly script: string
}

/** The forge's word is final, or the forge could not be reached for long: the program ends with this code. */
export class RunnerEnd extends Error {
  readonly exitCode: number

  constructor(exitCode: number, message: string) {
    super(message)
    this.exitCode = exitCode
  }
}

/** As GitHub's listener ends. */
export const exitCodes = { terminated: 1, retryable: 2, sessionConflict: 5 } as const

const answerMsMax = 15_000
const pauseMs = 500
/** A forge that restarts is waited for; one that is gone is not. */
const unreachableMsMax = 4 * 60_000

export interface ForgeClient {
  connect(signal: AbortSignal): Promise<void>
  /** Waits until there is a job. */
  nextJob(signal: AbortSignal): Promise<AssignedJob>
  /** `cancelled`: by a person. `lost`: the forge gave this runner up. `unknown`: the forge did not answer. */
  renew(jobId: number): Promise<'renewed' | 'cancelled' | 'lost' | 'unknown'>
  sendLog(jobId: number, text: string): Promise<void>
  complete(jobId: number, conclusion: string, withinMs?: number): Promise<'completed' | 'lost' | 'unknown'>
}

/** A runner's side of the conversation with its forge. */
export function createForgeClient(config: JitConfig, owner: string): ForgeClient {
  let session = ''
  const call = (
    method: string,
    path: string,
    body: string | null,
    signal: AbortSignal,
    waitMs = answerMsMax,
  ) =>
    fetch(`${config.url}/_runner${path}`, {
      method,
      body,
      headers: { authorization: `Bearer ${session}`, 'content-type': 'application/json' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(waitMs)]),
    })
  const never = new AbortController().signal

  return {
    async connect(signal) {
      const body = JSON.stringify({ jit: config.jit, owner })
      const answer = await persist(() => call('POST', '/sessions', body, signal), unreachableMsMax, signal)
      session = ((await answer.json()) as { session: string }).session
    },
    async nextJob(signal) {
      for (;;) {
        const ask = () => call('GET', '/job', null, signal, config.pollHoldMs + answerMsMax)
        const answer = await persist(ask, unreachableMsMax, signal)
        if (answer.status === 200) return (await answer.json()) as AssignedJob
      }
    },
    async renew(jobId) {
      try {
        const { status } = await call('POST', `/jobs/${jobId}/renew`, null, never)
        if (status === 200) return 'renewed'
        if (status === 410) return 'cancelled'
        return status === 409 || status === 401 ? 'lost' : 'unknown'
      } catch {
        return 'unknown'
      }
    },
    async sendLog(jobId, text) {
      // A log is worth no failure: what the forge does not take stands on our own output.
      await call('POST', `/jobs/${jobId}/log`, text, never).catch(() => {})
    },
    async complete(jobId, conclusion, withinMs = unreachableMsMax) {
      const body = JSON.stringify({ conclusion })
      try {
        const report = () => call('POST', `/jobs/${jobId}/complete`, body, never)
        await persist(report, withinMs, AbortSignal.timeout(withinMs))
        return 'completed'
      } catch (error) {
        return error instanceof RunnerEnd && error.exitCode === exitCodes.sessionConflict ? 'lost' : 'unknown'
      }
    },
  }
}

/** Repeats a call while the forge does not answer or is not well; what it refuses is final. */
async function persist(
  ask: () => Promise<Response>,
  withinMs: number,
  signal: AbortSignal,
): Promise<Response> {
  const giveUpAt = performance.now() + withinMs
  for (;;) {
    signal.throwIfAborted()
    const answer = await ask().catch(() => null)
    if (answer?.ok) return answer
    if (answer?.status === 409) throw new RunnerEnd(exitCodes.sessionConflict, await messageOf(answer))
    if (answer !== null && answer.status >= 400 && answer.status < 500 && answer.status !== 429) {
      throw new RunnerEnd(exitCodes.terminated, await messageOf(answer))
    }
    await answer?.body?.cancel()
    if (performance.now() >= giveUpAt) {
      throw new RunnerEnd(exitCodes.retryable, 'The forge could not be reached for too long.')
    }
    await sleep(pauseMs, undefined, { signal })
  }
}

async function messageOf(answer: Response): Promise<string> {
  const body = (await answer.json().catch(() => ({}))) as { message?: string }
  return body.message ?? `The forge answered ${answer.status}.`
}
