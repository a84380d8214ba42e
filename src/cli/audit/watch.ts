import { changesBetween } from '../../domain/audit/index.ts'
import { reasonOf } from '../../domain/reason.ts'
import type { Snapshot } from '../../domain/snapshot/index.ts'
import { pause } from '../commands/pause.ts'
import { type Context, printText } from '../context.ts'
import { auditPage, changeLines } from '../output/audit/index.ts'
import { printable } from '../output/printable.ts'
import type { Judge, Judged } from './judge.ts'

/** Pause between two readings of the fleet. */
const pauseMsMin = 30_000
/** A reading that takes long is repeated less often, so that reading is at most a fifth of the time. */
const pausePerReading = 4

export interface WatchOrder {
  readonly collect: () => Promise<Snapshot>
  readonly judge: Judge
  readonly isJson: boolean
}

/** Judges again and again until the program is asked to end; shows the first report, then only changes. */
export async function watchAudits(
  { collect, judge, isJson }: WatchOrder,
  earlier: Snapshot | null,
  context: Context,
): Promise<Judged> {
  let snapshot = await collect()
  let last = judge(snapshot, earlier)
  show(isJson ? [JSON.stringify(last.report)] : [auditPage(last.report, context)], context)
  while (await pause(Math.max(pauseMsMin, pausePerReading * snapshot.cost.ms), context)) {
    try {
      const newer = await collect()
      const next = judge(newer, snapshot)
      const lines = changeLines(changesBetween(last.run, next.run), next.report.at, context)
      show(isJson && lines.length > 0 ? [JSON.stringify(next.report)] : lines, context)
      ;[snapshot, last] = [newer, next]
    } catch (error) {
      // One reading that fails is no reason to stop: the next may succeed.
      if (!context.signal.aborted) context.stderr.write(`not read: ${printable(reasonOf(error))}\n`)
    }
  }
  return last
}

function show(lines: readonly string[], context: Context): void {
  for (const line of lines) printText(context, line)
}
