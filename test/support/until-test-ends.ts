import { onTestFinished } from 'vitest'

/** Disposes of something after the running test, whatever its outcome, newest first. */
export function untilTestEnds<T extends AsyncDisposable>(held: T): T {
  onTestFinished(() => held[Symbol.asyncDispose]())
  return held
}
