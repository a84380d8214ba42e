import type { Clock } from '../../ports/clock.ts'
import type { Log, LogFields } from '../../ports/log.ts'
import type { StopEvent, StopEvents } from './stop-events.ts'

/** For tests: a clock that a test moves. */
export class ManualClock implements Clock {
  #nowMs = 0
  readonly #timers = new Set<{ readonly at: number; readonly call: () => void }>()

  now(): number {
    return this.#nowMs
  }

  after(delayMs: number, call: () => void): () => void {
    const timer = { at: this.#nowMs + delayMs, call }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const cancel = this.after(delayMs, resolve)
      signal?.addEventListener('abort', () => {
        cancel()
        reject(signal.reason)
      })
    })
  }

  /** Fires what is due, in order, and lets everything that waits on it run. */
  async advance(byMs: number): Promise<void> {
    const end = this.#nowMs + byMs
    await settled()
    for (let timer = this.#next(end); timer !== undefined; timer = this.#next(end)) {
      this.#timers.delete(timer)
      this.#nowMs = timer.at
      timer.call()
      await settled()
    }
    this.#nowMs = end
  }

  get pending(): number {
    return this.#timers.size
  }

  #next(end: number) {
    const due = [...this.#timers].filter((timer) => timer.at <= end)
    return due.sort((a, b) => a.at - b.at)[0]
  }
}

/** For tests: everything that is ready has run. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** For tests: a log that keeps its lines. */
export class KeptLog implements Log {
  readonly lines: { readonly level: string; readonly fields: LogFields; readonly message: string }[] = []
  debug = (fields: LogFields, message: string): void =>
    void this.lines.push({ level: 'debug', fields, message })
  info = (fields: LogFields, message: string): void =>
    void this.lines.push({ level: 'info', fields, message })
  warn = (fields: LogFields, message: string): void =>
    void this.lines.push({ level: 'warn', fields, message })
  error = (fields: LogFields, message: string): void =>
    void this.lines.push({ level: 'error', fields, message })
  child = (): Log => this

  at(level: string): string[] {
    return this.lines.filter((line) => line.level === level).map((line) => line.message)
  }
}

/** For tests: signals that the test sends. */
export class ManualStopEvents implements StopEvents {
  readonly listeners = new Set<(event: StopEvent) => void>()

  subscribe(listener: (event: StopEvent) => void): () => void {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }

  send(event: StopEvent): void {
    for (const listener of this.listeners) listener(event)
  }
}
