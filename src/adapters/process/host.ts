import { createHash } from 'node:crypto'
import { mkdir, realpath } from 'node:fs/promises'
import { HoldfastError } from '../../domain/errors/index.ts'
import { reasonOf } from '../../domain/reason.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { RunnerHost, StartOutcome, StopOrder } from '../../ports/runner-host.ts'
import { type CgroupReport, prepareCgroups, removeIfEmpty, reportOf, uniqueFolders } from './cgroup/index.ts'
import type { HostContext, RunnerShape } from './context.ts'
import { createRunnerUsers, type Isolation } from './isolation/index.ts'
import { endingOf, hosted, listRunners } from './list.ts'
import { look } from './look.ts'
import { recover } from './recover.ts'
import { releaseRunner } from './release.ts'
import { startRunner } from './start.ts'
import { stopRunner } from './stop.ts'
import { createWatch } from './watch.ts'

export interface ProcessHostOptions {
  /** Distinguishes it from other hosts; the same after a restart. */
  readonly id: string
  /** Ours alone; one Holdfast at a time uses it. */
  readonly folder: string
  readonly clock: Clock
  readonly log: Log
  /** The command, environment and limits of a pool's runners. */
  readonly shape: (pool: string) => RunnerShape
  /** Where runners get users of their own; without it they are the user that Holdfast is. */
  readonly isolation?: Isolation | null
}

export interface ProcessHost extends RunnerHost, AsyncDisposable {
  describe(): { readonly cgroups: CgroupReport }
}

const hostIdLength = 12
/** An ending is a file on this machine: one that cannot be read by then never will be. */
const evidenceDeadlineMs = 60_000
const started: StartOutcome = { kind: 'started' }

/**
 * Runners as processes of this machine, each under a small supervisor that outlives Holdfast. Disposing of the
 * host ends no runner: the next one on the same folder adopts them.
 */
export async function createProcessHost(options: ProcessHostOptions): Promise<ProcessHost> {
  const { clock, log, shape } = options
  if (process.platform !== 'linux')
    throw new HoldfastError('E_HOST_UNSUPPORTED', { platform: process.platform })
  const folder = await openFolder(options.folder)
  const hostId = createHash('sha256').update(folder).digest('hex').slice(0, hostIdLength)
  const cgroups = await prepareCgroups(`holdfast-${hostId}`)
  const report = reportOf(cgroups)
  if (report.why.length > 0) log.warn({ ...report }, 'not every limit of a runner can be enforced here')
  else log.info({ ...report }, 'runners get cgroups')
  const context: HostContext = {
    folder,
    hostId,
    clock,
    log,
    cgroups,
    shape,
    living: new Map(),
    stopReasons: new Map(),
    shimExits: new Map(),
    users: options.isolation ? createRunnerUsers(options.isolation, folder, clock, log) : null,
  }
  const watch = createWatch(context)
  const starts = new Map<string, Promise<StartOutcome>>()
  await recover(context, watch)
  await context.users?.reclaim()

  return {
    id: options.id,
    start(runner, signal) {
      const running = starts.get(runner.name)
      if (running !== undefined) return running
      const work = startRunner(context, watch, runner, signal)
        .then(() => started)
        .finally(() => starts.delete(runner.name))
      starts.set(runner.name, work)
      return work
    },
    list: () => listRunners(context),
    find: (name) => hosted(context, name),
    uidOf: () => undefined,
    ending: (name) => endingOf(context, name),
    evidenceDeadlineMs: () => evidenceDeadlineMs,
    async stop(name, order) {
      const { reason, graceMs } = order
      await starts.get(name)?.catch(() => undefined) // its own caller learns of it
      if (!order.evenIfStarted && !(await isIdle(context, name, order))) return 'refused'
      await stopRunner(context, watch, name, reason, graceMs)
      return 'asked'
    },
    async release(name) {
      await starts.get(name)?.catch(() => undefined)
      await watch.runExclusive(name, () => releaseRunner(context, name))
    },
    async abandon(name) {
      throw new HoldfastError('E_BUG', { what: `a local runner cannot be out of reach: ${name}` })
    },
    protect: () => Promise.resolve(),
    template: () => null,
    headroom: () => Promise.resolve({ more: null, problem: null }),
    nodes: () => Promise.resolve([]),
    onChange: watch.onEnd,
    describe: () => ({ cgroups: report }),
    async [Symbol.asyncDispose]() {
      await watch[Symbol.asyncDispose]()
      for (const base of uniqueFolders(cgroups.bases)) await removeIfEmpty(base)
    },
  }
}

/** Whether a runner looks idle: where a job's program is visible, it must be absent; elsewhere nothing may contradict. */
async function isIdle(
  context: HostContext,
  name: string,
  { onlyIfWaiting = false }: StopOrder,
): Promise<boolean> {
  const found = await look(context, name)
  const runner = found === null ? null : await hosted(context, name)
  if (found === null || runner?.state !== 'running' || runner.program === 'waiting') return true
  if (runner.program === 'started') return false
  return found.start.runsJobAsChild !== true && !onlyIfWaiting
}

async function openFolder(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return await realpath(folder)
  } catch (error) {
    throw new HoldfastError('E_HOST_FOLDER', { folder, reason: reasonOf(error) }, error)
  }
}
