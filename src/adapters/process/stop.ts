import { HoldfastError } from '../../domain/errors/index.ts'
import type { HostContext } from './context.ts'
import { type Found, look, tracesOf } from './look.ts'
import { childOf, isAlive, killRemains, type ProcessIdentity } from './proc/index.ts'
import { restoreFolder, type StopRecord, writeRecord } from './records/index.ts'
import { readStop } from './records/read.ts'
import type { Watch } from './watch.ts'

const pollMs = 20
/** The supervisor writes its last record within milliseconds after the runner, on a slow disk within seconds. */
const shimDeadlineMs = 15_000
const leaderDeadlineMs = 5_000

/** Asks a runner to stop, then kills it with all its descendants. The reason is on disk before the first signal. */
export async function stopRunner(
  context: HostContext,
  watch: Watch,
  name: string,
  reason: string,
  graceMs: number,
): Promise<void> {
  const found = await look(context, name)
  if (found === null || (found.ended && !found.shimAlive)) return
  await watch.runExclusive(name, async () => {
    if ((await readStop(found.files.stop)) !== null) return // the first request gives the reason
    if (!context.stopReasons.has(name)) context.stopReasons.set(name, reason)
    const record: StopRecord = { reason, requestedAt: context.clock.now(), graceMs }
    try {
      await restoreFolder(found.files, found.start)
      await writeRecord(found.files.stop, record)
    } catch (error) {
      // A job that fills the disk must be stoppable of all jobs; the reason is kept in memory then.
      context.log.error({ err: error, runner: name, reason }, 'the reason of a stop could not be written')
    }
  })
  await stopWithGrace(context, watch, await withLeader(context, watch, found), graceMs)
}

/** Goes on with a stop that an earlier Holdfast began. */
export async function resumeStop(context: HostContext, watch: Watch, found: Found): Promise<void> {
  const stop = await readStop(found.files.stop)
  if (stop === null) return
  const restMs = stop.requestedAt + stop.graceMs - context.clock.now()
  await stopWithGrace(
    context,
    watch,
    await withLeader(context, watch, found),
    Math.min(Math.max(restMs, 0), stop.graceMs),
  )
}

/**
 * Finds the runner's first process where no record names it: either the supervisor was just started and will
 * write it, or the record was removed. Then the process is the supervisor's only child.
 */
async function withLeader(context: HostContext, watch: Watch, found: Found): Promise<Found> {
  const { name, pool } = found.start
  const deadline = context.clock.now() + leaderDeadlineMs
  for (let newest = found; ; ) {
    const shim = newest.record?.shim ?? context.living.get(name)?.shim
    if (newest.record?.runner != null || newest.ended || shim === undefined || !isAlive(shim)) return newest
    const runner = await childOf(shim.pid)
    if (runner !== null) return { ...newest, record: { name, pool, startedAt: null, shim, runner } }
    if (context.clock.now() >= deadline) return newest
    await context.clock.sleep(pollMs, watch.signal)
    newest = (await look(context, name)) ?? found
  }
}

async function stopWithGrace(
  context: HostContext,
  watch: Watch,
  found: Found,
  graceMs: number,
): Promise<void> {
  const { start, record } = found
  const shim = record?.shim ?? context.living.get(start.name)?.shim ?? null
  if (graceMs > 0) {
    signalGroup(record?.runner ?? null)
    await gone(context, watch, shim, graceMs)
  }
  // Also where the supervisor has ended meanwhile: then there is nothing left, and nothing is killed.
  const left = await killRemains(tracesOf(found), context.clock)
  if (left.length > 0)
    throw new HoldfastError('E_RUNNER_UNKILLABLE', { name: start.name, pids: left.map(String) })
  if (!(await gone(context, watch, shim, shimDeadlineMs))) kill(shim, 'SIGKILL')
  await gone(context, watch, shim, shimDeadlineMs)
  await watch.settle(start.name)
}

function signalGroup(leader: ProcessIdentity | null): void {
  if (leader === null || !isAlive(leader)) return
  try {
    process.kill(-leader.pid, 'SIGTERM')
  } catch {
    // ended meanwhile
  }
}

function kill(target: ProcessIdentity | null, signal: NodeJS.Signals): void {
  if (target === null || !isAlive(target)) return
  try {
    process.kill(target.pid, signal)
  } catch {
    // ended meanwhile
  }
}

async function gone(
  { clock }: HostContext,
  watch: Watch,
  target: ProcessIdentity | null,
  withinMs: number,
): Promise<boolean> {
  const deadline = clock.now() + withinMs
  while (isAlive(target)) {
    if (clock.now() >= deadline) return false
    await clock.sleep(Math.min(pollMs, withinMs), watch.signal)
  }
  return true
}
