import { readFile, rm } from 'node:fs/promises'
import type { Ending } from '../../domain/death/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import { readMemoryEnd } from './cgroup/index.ts'
import type { HostContext } from './context.ts'
import { exists, type Found, look, tracesOf } from './look.ts'
import { bootId, killRemains } from './proc/index.ts'
import { createExclusive, restoreFolder, writeRecord } from './records/index.ts'
import { readLive, readStop } from './records/read.ts'

export const SHIM_KILLED = 'the supervisor was killed: exit code unknown'

const CLAIMED =
  'what an ending said that was there: its supervisor was killed, and so its job may have written it'
const NEVER_STARTED = 'Holdfast ended before the runner was started'

/**
 * Makes sure that a runner whose supervisor is gone has ended, with all that it started, and has an ending.
 * Mostly the supervisor wrote it as its last act; else what is left is ended, and what is known is written.
 */
export async function settleEnd(context: HostContext, name: string): Promise<void> {
  const found = await look(context, name)
  if (found === null || found.ended || found.shimAlive) return
  const reason = await whyUnknown(found, context.living.has(name))
  const left = await killRemains(tracesOf(found), context.clock)
  if (left.length > 0) throw new HoldfastError('E_RUNNER_UNKILLABLE', { name, pids: left.map(String) })
  await rm(found.files.secret, { force: true })
  await restoreFolder(found.files, found.start)
  const claimed = (await exists(found.files.ending)) ? [CLAIMED] : []
  const ending = await knownEnding(found, reason, context.clock.now())
  await writeRecord(found.files.ending, { ...ending, missing: [...ending.missing, ...claimed] })
  context.shimExits.delete(name) // from here on the ending is ours
  await rm(found.files.live, { force: true })
  context.log.warn({ runner: name, pool: found.start.pool, reason }, 'a runner ended without its supervisor')
}

async function whyUnknown({ files, record }: Found, remembered: boolean): Promise<string> {
  if (record !== null) {
    return record.shim.bootId === bootId()
      ? SHIM_KILLED
      : 'the machine was started anew while the runner lived: exit code unknown'
  }
  if (remembered) return SHIM_KILLED
  // From here on no supervisor that is still on its way can start the runner.
  if (await createExclusive(files.claim, 'nobody')) return NEVER_STARTED
  const claimedBy = await readFile(files.claim, 'utf8')
  return claimedBy === 'supervisor' ? SHIM_KILLED : NEVER_STARTED
}

async function knownEnding({ files, start, record }: Found, reason: string, now: number): Promise<Ending> {
  const live = await readLive(files.live)
  const stop = await readStop(files.stop).catch(() => null)
  const memory = start.groups === null ? null : readMemoryEnd(start.groups)
  const seen = (live?.samples ?? []).map((sample) => sample.memoryBytes).filter((bytes) => bytes !== null)
  const newest =
    live === null ? 'output and samples' : `output and samples after ${new Date(live.at).toISOString()}`
  return {
    exitCode: null,
    signal: null,
    startedAt: record?.startedAt ?? null,
    endedAt: now,
    tail: live?.tail ?? '',
    oomKills: memory?.oomKills ?? null,
    memoryPeakBytes: memory?.peakBytes ?? (seen.length === 0 ? null : Math.max(...seen)),
    memoryLimitBytes: start.groups?.memoryLimitBytes ?? null,
    samples: live?.samples ?? [],
    stopRequestedBy: stop?.reason ?? null,
    pod: null,
    missing:
      record?.runner == null ? [reason] : [reason, newest, 'when it ended: the time is when this was found'],
    ...(reason === SHIM_KILLED && { supervisor: 'killed' }),
  }
}
