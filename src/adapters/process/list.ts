import { stat } from 'node:fs/promises'
import type { Ending } from '../../domain/death/index.ts'
import { HoldfastError, isError } from '../../domain/errors/index.ts'
import type { HostedRunner } from '../../ports/runner-host.ts'
import type { HostContext } from './context.ts'
import { exists, type Found, look } from './look.ts'
import { allStats, type ProcessStat } from './proc/index.ts'
import { programOf } from './program.ts'
import { isRunnerName, layoutOf } from './records/index.ts'
import { readEnding } from './records/read.ts'
import { entriesOf } from './recover.ts'

/** Every runner that has not been released. Throws rather than leave one out. */
export async function listRunners(context: HostContext): Promise<readonly HostedRunner[]> {
  const names = new Set([...(await entriesOf(context.folder)).filter(isRunnerName), ...context.living.keys()])
  const stats = await allStats()
  const runners = await Promise.all([...names].map((name) => hosted(context, name, stats)))
  return runners.filter((runner) => runner !== null)
}

/** How a runner ended; null while anything of it may live. */
export async function endingOf(context: HostContext, name: string): Promise<Ending | null> {
  const found = await look(context, name)
  if (found === null || !hasEnded(found)) return null
  try {
    const ending = await readEnding(found.files.ending)
    if (ending === null) return null
    return { ...ending, stopRequestedBy: ending.stopRequestedBy ?? context.stopReasons.get(name) ?? null }
  } catch (error) {
    if (!isError(error, 'E_HOST_RECORD')) throw error
    return unreadable(found, error, context.clock.now())
  }
}

/** One runner as its records and /proc show it; null where there is none. */
export async function hosted(
  context: HostContext,
  name: string,
  stats?: readonly ProcessStat[],
): Promise<HostedRunner | null> {
  const found = await look(context, name)
  if (found === null) {
    const files = layoutOf(context.folder, name)
    if (!(await exists(files.folder))) return null // released in this moment
    throw new HoldfastError('E_HOST_RECORD', { file: files.start, reason: 'there is no such file' })
  }
  const state = hasEnded(found) ? 'exited' : 'running'
  return {
    name,
    pool: found.start.pool,
    state,
    startedAt: found.record?.startedAt ?? null,
    program: programOf(found, stats ?? (await allStats())),
    template: null,
    node: null,
    problem: null,
    leavingSince: null,
    silentSince: null,
    isProtected: true, // only Holdfast removes runners from this machine
    exitedAt: state === 'exited' ? await endedAtOf(found) : null,
  }
}

/** A runner without an ending counts as running: it still runs, or its end is being settled. */
function hasEnded({ ended, shimAlive }: Found): boolean {
  return ended && !shimAlive
}

/** The time at which its ending was written; null where unknown. */
async function endedAtOf({ files }: Found): Promise<number | null> {
  return stat(files.ending).then(
    ({ mtimeMs }) => Math.round(mtimeMs),
    () => null,
  )
}

/** A record that something overwrote must not keep the runner's end from being sealed. */
function unreadable({ record, start }: Found, error: Error, now: number): Ending {
  return {
    exitCode: null,
    signal: null,
    startedAt: record?.startedAt ?? null,
    endedAt: now,
    tail: '',
    oomKills: null,
    memoryPeakBytes: null,
    memoryLimitBytes: start.groups?.memoryLimitBytes ?? null,
    samples: [],
    stopRequestedBy: null,
    pod: null,
    missing: [`how it ended: ${error.message}`],
  }
}
