import type { TrailReport } from '../../../cli/index.ts'
import { problemsOf, type TrailHead, type TrailRow } from '../../../domain/trail/index.ts'
import type { Config } from '../../../platform/config/index.ts'
import type { Trail } from '../../../ports/trail.ts'
import { createBase } from '../../base.ts'
import { openRemedyStore, sha256 } from '../../remedy-store/index.ts'

const readingsMax = 5

/** Reads the trail and judges its chain, by the head of its second place, and by one that somebody noted elsewhere. */
export async function readTrail(
  config: Config,
  noted: TrailHead | null,
  signal: AbortSignal,
): Promise<TrailReport> {
  const store = await openRemedyStore(createBase(config), signal)
  const { rows, head } = await readWhole(store.trail).finally(() => store[Symbol.asyncDispose]())
  const elsewhere = noted === null ? [] : problemsOf(rows.slice(0, Math.max(noted.count, 0)), noted, sha256)
  const problems = new Set([
    ...problemsOf(rows, head, sha256),
    ...elsewhere.map((problem) => `by the head that was given: ${problem}`),
  ])
  return { rows, head, store: store.kind, place: store.place, problems: [...problems] }
}

/** Rows and head of one time: a remedy that runs meanwhile would look like one who adds rows. */
async function readWhole(
  trail: Trail,
): Promise<{ readonly rows: readonly TrailRow[]; readonly head: TrailHead }> {
  for (let reading = 1; ; reading += 1) {
    const before = await trail.head()
    const rows = await trail.rows()
    const head = await trail.head()
    if (head.count === before.count || reading === readingsMax) return { rows, head }
  }
}
