import type { JobLog } from './log.ts'
import type { StepEnd } from './run-step.ts'
import { type Result, type Service, type StepState, type TaskState, Unregistered } from './service.ts'

/** Gitea takes a task for dead that nothing was heard of for ten minutes, unless it is set up otherwise. */
const BEAT_EVERY_MS = 1_000
const BEAT_MS_MAX = 60_000

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
  /** Tells the result; no beat follows. */
  finish(result: Result, withinMs: number): Promise<void>
  close(): void
}

/** Keeps the states of a task's steps, and tells them to Gitea again and again: this is also the sign of life. */
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
      const result = await service.updateTask(taskId, state(), BEAT_MS_MAX)
      if (result !== null && result !== ('RESULT_UNSPECIFIED' as string)) gone.abort()
    } catch (error) {
      if (error instanceof Unregistered) gone.abort()
    }
  }
  const timer = setInterval(() => {
    beating ??= beat().finally(() => {
      beating = undefined
    })
  }, BEAT_EVERY_MS)
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
