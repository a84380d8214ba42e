import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { HoldfastError } from '../../domain/errors/index.ts'
import { reasonOf } from '../../domain/reason.ts'
import type { Clock } from '../../ports/clock.ts'
import type { SealedDeath } from '../../ports/ledger.ts'
import { type RecordSink, recordDay, recordLine } from '../../ports/record-sink.ts'
import { syncFolder } from '../files/index.ts'
import { tornAt } from './torn-line.ts'

/** Records hold output of jobs: only their owner may read them. */
const folderMode = 0o700
const fileMode = 0o600

const dayMs = 86_400_000
const ours = /^deaths-(\d{4}-\d\d-\d\d)\.jsonl$/

export interface FolderSinkOptions {
  readonly folder: string
  /** Files of days longer ago are deleted. */
  readonly keepDays: number
  readonly clock: Pick<Clock, 'now'>
}

/** Writes records into a folder, one file for each day on which they were sealed; deletes old files. */
export function createFolderSink({ folder, keepDays, clock }: FolderSinkOptions): RecordSink {
  let tidiedOn = ''
  return {
    name: 'folder',
    async write(records, signal) {
      try {
        await mkdir(folder, { recursive: true, mode: folderMode })
        const today = dayOf(clock.now())
        // Before any write: a folder in which nothing can be deleted would grow without bound, so it fails.
        if (tidiedOn !== today) await deleteBefore(folder, dayOf(clock.now() - keepDays * dayMs), signal)
        tidiedOn = today
        for (const [day, ofDay] of Map.groupBy(records, recordDay)) {
          signal.throwIfAborted()
          await append(folder, `deaths-${day}.jsonl`, linesOf(ofDay))
        }
      } catch (error) {
        if (signal.aborted) throw signal.reason
        const reason = reasonOf(error)
        throw new HoldfastError('E_SINK_FAILED', { sink: `the folder ${folder}`, reason }, error)
      }
    },
  }
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** Deletes only files with our naming pattern. */
async function deleteBefore(folder: string, day: string, signal: AbortSignal): Promise<void> {
  for (const name of await readdir(folder)) {
    const of = ours.exec(name)?.[1]
    if (of === undefined || of >= day) continue
    signal.throwIfAborted()
    await rm(path.join(folder, name), { force: true })
  }
}

function linesOf(records: readonly SealedDeath[]): Buffer {
  return Buffer.from(records.map(recordLine).join(''))
}

async function append(folder: string, name: string, lines: Buffer): Promise<void> {
  const file = await open(path.join(folder, name), 'a+', fileMode)
  try {
    const { size } = await file.stat()
    const whole = await tornAt(file, size)
    // The record of a truncated line was never counted as written: it is written again.
    if (whole < size) await file.truncate(whole)
    await writeAll(file, lines, whole)
    await file.sync()
    if (size === 0) await syncFolder(folder)
  } finally {
    await file.close()
  }
}

/** Writes all lines or none: half a line on a full disk would corrupt the next one. */
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
