import { setTimeout as sleep } from 'node:timers/promises'
import type { Credentials } from './credentials.ts'

/** The job that Gitea gives to a runner. */
export interface Task {
  readonly id: string
  /** YAML of a workflow with one job in base64. */
  readonly workflowPayload: string
  readonly context?: Readonly<Record<string, unknown>>
  readonly secrets?: Readonly<Record<string, string>>
  readonly vars?: Readonly<Record<string, string>>
  readonly needs?: Readonly<Record<string, { readonly result?: string; readonly outputs?: object }>>
}

export type Result = 'RESULT_SUCCESS' | 'RESULT_FAILURE' | 'RESULT_CANCELLED' | 'RESULT_SKIPPED'

export interface StepState {
  readonly id: number
  readonly result?: Result
  readonly startedAt?: string
  readonly stoppedAt?: string
  readonly logIndex: number
  readonly logLength: number
}

export interface TaskState {
  readonly result?: Result
  readonly startedAt: string
  readonly stoppedAt?: string
  readonly steps: readonly StepState[]
}

export interface LogRow {
  readonly time: string
  readonly content: string
}

/** Gitea does not know this runner any more: its one task is over, or it was removed. */
export class Unregistered extends Error {}
/** Gitea said no, and would again. */
export class Refused extends Error {}

const answerMsMax = 15_000
const pauseMs = 500
const messageLengthMax = 300

export interface Service {
  declare(withinMs: number, signal: AbortSignal): Promise<void>
  /** Asks once. Throws where no answer came: a task may have been given in it all the same. */
  fetchTask(signal: AbortSignal): Promise<Task | null>
  /** Reports the state of the task and returns Gitea's own result, if it has one. Retries for `withinMs`. */
  updateTask(taskId: string, state: TaskState, withinMs: number): Promise<Result | null>
  /** Sends rows from an index on; gives the index up to which Gitea has them. */
  updateLog(
    taskId: string,
    index: number,
    rows: readonly LogRow[],
    noMore: boolean,
    withinMs: number,
  ): Promise<number>
}

/** A runner's side of the conversation with Gitea: Connect over HTTP with JSON. */
export function createService({ address, uuid, token, labels }: Credentials, version: string): Service {
  const call = async (procedure: string, message: unknown, signal?: AbortSignal): Promise<Body> => {
    const limit = AbortSignal.timeout(answerMsMax)
    const answer = await fetch(`${address}/api/actions/runner.v1.RunnerService/${procedure}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-runner-uuid': uuid, 'x-runner-token': token },
      body: JSON.stringify(message),
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    })
    const body = (await answer.json().catch(() => ({}))) as Body
    if (answer.ok) return body
    const reason = (body.message ?? `status ${answer.status}`).slice(0, messageLengthMax)
    // Gitea wraps its own code into another one: only the text shows it.
    if (/unregistered runner/.test(reason)) throw new Unregistered(reason)
    if (answer.status < 500 && answer.status !== 429 && answer.status !== 408) throw new Refused(reason)
    throw new Error(reason)
  }
  return {
    async declare(withinMs, signal) {
      await persist(() => call('Declare', { version, labels }, signal), withinMs, signal)
    },
    async fetchTask(signal) {
      // A version of 0 makes Gitea look every time, not only when it believes that something is new.
      const { task } = await call('FetchTask', { tasksVersion: '0' }, signal)
      return task ?? null
    },
    async updateTask(taskId, state, withinMs) {
      const answer = await persist(
        () => call('UpdateTask', { state: { id: taskId, ...state }, outputs: {} }),
        withinMs,
      )
      return answer.state?.result ?? null
    },
    async updateLog(taskId, index, rows, noMore, withinMs) {
      const message = { taskId, index: String(index), rows, noMore }
      const answer = await persist(() => call('UpdateLog', message), withinMs)
      return Number(answer.ackIndex ?? 0)
    },
  }
}

interface Body {
  readonly message?: string
  readonly task?: Task
  readonly state?: { readonly result?: Result }
  readonly ackIndex?: string
}

/** Repeats a call while Gitea does not answer or is not well; what it refuses is final. */
async function persist(ask: () => Promise<Body>, withinMs: number, signal?: AbortSignal): Promise<Body> {
  const giveUpAt = performance.now() + withinMs
  for (;;) {
    signal?.throwIfAborted()
    try {
      return await ask()
    } catch (error) {
      if (error instanceof Unregistered || error instanceof Refused) throw error
      if (performance.now() >= giveUpAt) throw error
    }
    await sleep(pauseMs, undefined, signal === undefined ? {} : { signal })
  }
}
