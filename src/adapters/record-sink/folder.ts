import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { SealedDeath } from '../../ports/ledger.ts'
import { type RecordSink, recordDay, recordLine } from '../../ports/record-sink.ts'
import { tornAt } from './torn-line.ts'

/** Records hold what jobs printed: for their owner alone. */
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600

const DAY_MS = 86_400_000
const OURS = /^deaths-(\d{4}-\d\d-\d\d)\.jsonl$/

export interface FolderSinkOptions {
  readonly folder: string
  /** Files of days longer ago are deleted. */
  readonly keepDays: number
  readonly clock: Pick<Clock, 'now'>
}

/** Writes records into a folder, one file for each day on which they were sealed; old ones go. */
export function createFolderSink({ folder, keepDays, clock }: FolderSinkOptions): RecordSink {
  let tidiedOn = ''
  return {
    name: 'folder',
    async write(records, signal) {
      try {
        await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
        const today = dayOf(clock.now())
        // Before anything is written: a folder in which nothing can be deleted has no bound, and is said to fail.
        if (tidiedOn !== today) await deleteBefore(folder, dayOf(clock.now() - keepDays * DAY_MS), signal)
        tidiedOn = today
        for (const [day, ofDay] of Map.groupBy(records, recordDay)) {
          signal.throwIfAborted()
          await append(folder, `deaths-${day}.jsonl`, linesOf(ofDay))
        }
      } catch (error) {
        if (signal.aborted) throw signal.reason
        const reason = error instanceof Error ? error.message : String(error)
        throw new HoldfastError('E_SINK_FAILED', { sink: `the folder ${folder}`, reason }, error)
      }
    },
  }
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** Only files that are named as ours are. */
async function deleteBefore(folder: string, day: string, signal: AbortSignal): Promise<void> {
  for (const name of await readdir(folder)) {
    const of = OURS.exec(name)?.[1]
    if (of === undefined || of >= day) continue
    signal.throwIfAborted()
    await rm(path.join(folder, name), { force: true })
  }
}

function linesOf(records: readonly SealedDeath[]): Buffer {
  return Buffer.from(records.map(recordLine).join(''))
}

async function append(folder: string, name: string, lines: Buffer): Promise<void> {
  const file = await open(path.join(folder, name), 'a+', FILE_MODE)
  try {
    const { size } = await file.stat()
    const whole = await tornAt(file, size)
    // The record whose line broke off was never counted as written: it comes again.
    if (whole < size) await file.truncate(whole)
    await writeAll(file, lines, whole)
    await file.sync()
    if (size === 0) await syncFolder(folder)
  } finally {
    await file.close()
  }
}

/** All of it or nothing: half a line on a full disk would stand before the next one. */
async function writeAll(file: FileHandle, lines: Buffer, before: number): Promise<void> {
  try {
    for (let written = 0; written < lines.length; ) {
      written += (await file.write(lines, written, lines.length - written, null)).bytesWritten
    }
  } catch (error) {
    await file.truncate(before).catch(() => {}) // else the next append finds the torn line
    throw error
  }
}

/** A new file's name is durable only with its folder. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
