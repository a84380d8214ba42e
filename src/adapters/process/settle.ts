import { readFile, rm } from 'node:fs/promises'
import type { Ending } from '../../domain/death/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import { readMemoryEnd } from './cgroup/index.ts'
import type { HostContext } from './context.ts'
import { exists, type Found, look, tracesOf } from './look.ts'
import { bootId, killRemains } from './proc/index.ts'
import { createExclusive, restoreFolder, writeRecord } from './records/index.ts'
import { readLive, readStop } from './records/read.ts'

export const shimKilled = 'the supervisor was killed: exit code unknown'

const claimedPattern =
  'what an ending said that was there: its supervisor was killed, and so its job may have written it'
const neverStarted = 'Holdfast ended before the runner was started'

/**
 * Makes sure that a runner whose supervisor is gone has ended with all its descendants, and has an ending.
 * Mostly the supervisor wrote the ending as its last act; else this kills the remaining processes and writes the
 * known facts.
 */
export async function settleEnd(context: HostContext, name: string): Promise<void> {
  const found = await look(context, name)
  if (found === null || found.ended || found.shimAlive) return
  const reason = await whyUnknown(found, context.living.has(name))
  const left = await killRemains(tracesOf(found), context.clock)
  if (left.length > 0) throw new HoldfastError('E_RUNNER_UNKILLABLE', { name, pids: left.map(String) })
  await rm(found.files.secret, { force: true })
  await restoreFolder(found.files, found.start)
  const claimed = (await exists(found.files.ending)) ? [claimedPattern] : []
  const ending = await knownEnding(found, reason, context.clock.now())
  await writeRecord(found.files.ending, { ...ending, missing: [...ending.missing, ...claimed] })
  context.shimExits.delete(name) // from here on the ending is ours
  await rm(found.files.live, { force: true })
  context.log.warn({ runner: name, pool: found.start.pool, reason }, 'a runner ended without its supervisor')
}

async function whyUnknown({ files, record }: Found, remembered: boolean): Promise<string> {
  if (record !== null) {
    return record.shim.bootId === bootId()
      ? shimKilled
      : 'the machine was restarted while the runner lived: exit code unknown'
  }
  if (remembered) return shimKilled
  // From here on no late supervisor can start the runner.
  if (await createExclusive(files.claim, 'nobody')) return neverStarted
  const claimedBy = await readFile(files.claim, 'utf8')
  return claimedBy === 'supervisor' ? shimKilled : neverStarted
}

async function knownEnding({ files, start, record }: Found, reason: string, now: number): Promise<Ending> {
  const live = await readLive(files.live)
  const stop = await readStop(files.stop).catch(() => null)
  const memory = start.groups === null ? null : readMemoryEnd(start.groups)
  const measured = (live?.samples ?? []).map((sample) => sample.memoryBytes).filter((bytes) => bytes !== null)
  const newest =
    live === null ? 'output and samples' : `output and samples after ${new Date(live.at).toISOString()}`
  return {
    exitCode: null,
    signal: null,
    startedAt: record?.startedAt ?? null,
    endedAt: now,
    tail: live?.tail ?? '',
    oomKills: memory?.oomKills ?? null,
    memoryPeakBytes: memory?.peakBytes ?? (measured.length === 0 ? null : Math.max(...measured)),
    memoryLimitBytes: start.groups?.memoryLimitBytes ?? null,
    samples: live?.samples ?? [],
    stopRequestedBy: stop?.reason ?? null,
    pod: null,
    missing:
      record?.runner == null ? [reason] : [reason, newest, 'when it ended: the time is when this was found'],
    ...(reason === shimKilled && { supervisor: 'killed' }),
  }
}
