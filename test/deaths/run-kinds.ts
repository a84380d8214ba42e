import { reasonOf } from '../../src/domain/reason.ts'
import { until } from '../cluster/machine/until.ts'
import type { DeathKind } from './kind.ts'
import type { DeathLedger } from './ledger.ts'
import type { Result } from './report.ts'

const sealedWithinMs = 180_000

/** Where kinds of death happen. */
export interface Ground<Stage> {
  readonly where: Result['where']
  readonly ledger: DeathLedger
  /** Makes all that a kind needs. */
  prepare(kind: DeathKind<Stage>): Promise<Stage>
  /** Takes it away again; a runner that is left there does not keep others waiting. */
  clear(kind: DeathKind<Stage>): Promise<void>
}

/** Causes each kind of death, `atOnce` at a time, and reports each result. */
export async function runKinds<Stage>(
  kinds: readonly DeathKind<Stage>[],
  ground: Ground<Stage>,
  atOnce: number,
  onResult: (result: Result) => void,
): Promise<Result[]> {
  const results: Result[] = []
  const left = kinds.values()
  const work = async () => {
    for (const kind of left) {
      const result = await runKind(kind, ground)
      results.push(result)
      onResult(result)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return results
}

async function runKind<Stage>(kind: DeathKind<Stage>, ground: Ground<Stage>): Promise<Result> {
  const began = performance.now()
  const result = (over: Partial<Result>): Result => ({
    kind,
    where: ground.where,
    records: 0,
    found: null,
    sealedAfterMs: null,
    problem: null,
    tookMs: performance.now() - began,
    ...over,
  })
  try {
    const name = await kind.cause(await ground.prepare(kind))
    const sealed = await until(`the end of ${name} is on record`, sealedWithinMs, () =>
      ground.ledger.sealed(name),
    )
    const { record, count, sealedAtMs } = sealed
    return result({
      records: count,
      found: record,
      problem: kind.holds?.(record) ?? null,
      sealedAfterMs: record.ending === null ? null : Math.max(0, sealedAtMs - record.ending.endedAt),
    })
  } catch (error) {
    return result({ problem: reasonOf(error) })
  } finally {
    await ground.clear(kind).catch(() => undefined) // a failure here shows in the next kind
  }
}
