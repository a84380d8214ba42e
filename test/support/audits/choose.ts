import fc from 'fast-check'
import { minuteMs, readAt } from '../../../src/domain/snapshot/testing/facts.ts'

/** One of these values; the first, which is the healthy one, as often as all others together. */
export function mostly<const T>(healthy: T, ...others: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: others.length, arbitrary: fc.constant(healthy) },
    ...others.map((other) => ({ weight: 1, arbitrary: fc.constant(other) })),
  )
}

/** Facts of some of these names, each name at most once. */
export function someOf<T>(
  names: readonly string[],
  make: (name: string) => fc.Arbitrary<T>,
): fc.Arbitrary<readonly T[]> {
  const each = names.map((name) => fc.option(make(name), { freq: 3 }))
  return fc.tuple(...each).map((facts) => facts.filter((fact) => fact !== null) as T[])
}

/** Seconds to days before the snapshot. */
export const past: fc.Arbitrary<number> = mostly(0.1, 2, 6, 20, 70, 26 * 60).map(
  (minutes) => readAt - minutes * minuteMs,
)

export const deletedAt: fc.Arbitrary<number | null> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: past },
)

export const setNames = ['linux', 'gpu'] as const
export const runnerNames = ['linux-1', 'linux-2', 'linux-3', 'gpu-1', 'gpu-2'] as const
export const nodeNames = ['node-1', 'node-2'] as const
export const repositories = ['acme/web', 'acme/api'] as const

export function setOf(runner: string): string {
  return runner.replace(/-\d+$/, '')
}
