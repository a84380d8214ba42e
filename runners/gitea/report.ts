import type { JobLog } from './log.ts'
import type { StepEnd } from './run-step.ts'
import { type Result, type Service, type StepState, type TaskState, Unregistered } from './service.ts'

/** By default Gitea takes a task for dead after ten minutes without an update. */
const beatEveryMs = 1_000
const beatMsMax = 60_000

const results = {
  success: 'RESULT_SUCCESS',
  failure: 'RESULT_FAILURE',
  stopped: 'RESULT_CANCELLED',
} as const satisfies Record<StepEnd, Result>

export interface Report {
  /** Aborted when Gitea says that the task is over, or does not know this runner any more. */
  readonly gone: AbortSignal
  begin(step: number): void
  end(step: number, how: StepEnd): void
  skip(step: number): void
  skipFrom(step: number): void
  /** Reports the result; no heartbeat follows. */
  finish(result: Result, withinMs: number): Promise<void>
  close(): void
}

/** Keeps the states of a task's steps, and reports them to Gitea every second, which is also the heartbeat. */
export function createReport(service: Service, taskId: string, stepCount: number, log: JobLog): Report {
  const gone = new AbortController()
  const startedAt = now()
  const steps: StepState[] = Array.from({ length: stepCount }, (_, id) => ({ id, logIndex: 0, logLength: 0 }))
  let beating: Promise<void> | undefined
  const change = (id: number, over: Partial<StepState>): void => {
    const before = steps[id]
    if (before !== undefined) steps[id] = { ...before, ...over }
  }
  const state = (): TaskState => ({ startedAt, steps })
  const beat = async (): Promise<void> => {
    try {
      const result = await service.updateTask(taskId, state(), beatMsMax)
      if (result !== null && result !== ('RESULT_UNSPECIFIED' as string)) gone.abort()
    } catch (error) {
      if (error instanceof Unregistered) gone.abort()
    }
  }
  const timer = setInterval(() => {
    beating ??= beat().finally(() => {
      beating = undefined
    })
  }, beatEveryMs)
  return {
    gone: gone.signal,
    begin: (id) => change(id, { startedAt: now(), logIndex: log.length }),
    end(id, how) {
      const from = steps[id]?.logIndex ?? 0
      change(id, { result: results[how], stoppedAt: now(), logLength: log.length - from })
    },
    skip: (id) => change(id, { result: 'RESULT_SKIPPED', startedAt: now(), stoppedAt: now() }),
    skipFrom(first) {
      for (let id = first; id < stepCount; id += 1) this.skip(id)
    },
    async finish(result, withinMs) {
      clearInterval(timer)
      await beating
      for (const { id, result: known } of steps) if (known === undefined) this.skip(id)
      await service.updateTask(taskId, { ...state(), result, stoppedAt: now() }, withinMs)
    },
    close: () => clearInterval(timer),
  }
}

function now(): string {
  return new Date().toISOString()
}
