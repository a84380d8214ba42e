import { rm } from 'node:fs/promises'
import type { Ending } from '../../../domain/death/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import { type Layout, reasonOf, restoreFolder, type StartRecord, writeRecord } from '../records/index.ts'

const SHORT_TAIL_CHARS = 2_000
const RETRY_MS = 1_000
const TRIES_MAX = 60

/**
 * Writes the ending, also on a disk that the job has filled: first what only served a killed supervisor makes
 * room, then the record is shortened, then it is tried again until somebody has made room.
 */
export async function writeEnding(
  files: Layout,
  start: StartRecord,
  ending: Ending,
  clock: Clock,
): Promise<void> {
  await restoreFolder(files, start).catch(() => undefined) // the write meets the same and says it
  let reason = await tryWrite(files, ending)
  if (reason === null) return
  await rm(files.live, { force: true })
  await rm(`${files.live}.tmp`, { force: true })
  reason = await tryWrite(files, ending)
  for (let tries = 0; reason !== null && tries < TRIES_MAX; tries++) {
    if (tries > 0) await clock.sleep(RETRY_MS)
    reason = await tryWrite(files, shortened(ending, reason))
  }
}

async function tryWrite(files: Layout, ending: Ending): Promise<string | null> {
  try {
    await writeRecord(files.ending, ending)
    return null
  } catch (error) {
    return reasonOf(error)
  }
}

function shortened(ending: Ending, reason: string): Ending {
  return {
    ...ending,
    tail: ending.tail.slice(-SHORT_TAIL_CHARS).replace(/^[\uDC00-\uDFFF]/, ''), // half of a character
    samples: [],
    missing: [...ending.missing, `samples and most of the output, which could not be written: ${reason}`],
  }
}
