import { rm } from 'node:fs/promises'
import type { Ending } from '../../../domain/death/index.ts'
import { reasonOf } from '../../../domain/reason.ts'
import type { Clock } from '../../../ports/clock.ts'
import { type Layout, restoreFolder, type StartRecord, writeRecord } from '../records/index.ts'

const shortTailChars = 2_000
const retryMs = 1_000
const defaultTriesMax = 60

/**
 * Writes the ending, also on a disk that the job has filled: first it deletes the file that only serves a killed
 * supervisor, then it shortens the record, then it retries until there is space.
 */
export async function writeEnding(
  files: Layout,
  start: StartRecord,
  ending: Ending,
  clock: Clock,
): Promise<void> {
  await restoreFolder(files, start).catch(() => undefined) // the write meets the same error and reports it
  let reason = await tryWrite(files, ending)
  if (reason === null) return
  await rm(files.live, { force: true })
  await rm(`${files.live}.tmp`, { force: true })
  reason = await tryWrite(files, ending)
  for (let tries = 0; reason !== null && tries < defaultTriesMax; tries++) {
    if (tries > 0) await clock.sleep(retryMs)
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
    tail: ending.tail.slice(-shortTailChars).replace(/^[\uDC00-\uDFFF]/, ''), // half of a character
    samples: [],
    missing: [...ending.missing, `samples and most of the output, which could not be written: ${reason}`],
  }
}
