import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import type { Change, Counters, Snapshot } from '../core/index.ts'
import { openJournalFile } from './journal-file.ts'

/** A longer journal is folded into a snapshot. */
const journalBytesMax = 16 * 1024 * 1024
/** More than a step of the forge writes. */
const stepBytesMax = 64 * 1024
/** It holds runners' secrets. */
const fileMode = 0o600

interface Entry {
  readonly changes: readonly Change[]
  readonly counters: Counters
}

export interface Journal {
  /** The persisted state: the newest snapshot, and the changes since. */
  readonly kept: { readonly snapshot: Snapshot | undefined; readonly entries: readonly Entry[] }
  /** Throws where the disk may have no room for the next step, which is then not taken: nothing happens that is not kept. */
  requireRoom(): void
  /** Is on the file when it returns, so that a killed process has lost nothing that was answered. */
  append(changes: readonly Change[], counters: Counters): void
  /** Whether it is time to fold. */
  readonly isLong: boolean
  fold(snapshot: Snapshot): void
  close(): void
}

/**
 * A forge's memory in a folder: `snapshot.json`, replaced as a whole, and the journal of what changed since,
 * one line a change. The snapshot names its journal, so that a kill between the two leaves one valid pair.
 */
export function openJournal(folder: string): Journal {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const stored = readSnapshot(folder)
  let generation = stored?.generation ?? 0
  const { entries, goodBytes } = readEntries(journalFile(folder, generation))
  let file = openJournalFile(journalFile(folder, generation), goodBytes, fileMode)
  removeOthers(folder, generation)
  return {
    kept: { snapshot: stored?.snapshot, entries },
    requireRoom: () => file.requireRoom(stepBytesMax),
    append(changes, counters) {
      file.append(Buffer.from(`${JSON.stringify({ changes, counters })}\n`))
    },
    get isLong() {
      return file.bytes > journalBytesMax
    },
    fold(snapshot) {
      const next = generation + 1
      const nextFile = openJournalFile(journalFile(folder, next), 0, fileMode)
      replaceFile(folder, 'snapshot.json', JSON.stringify({ generation: next, snapshot }))
      file.close()
      file = nextFile
      generation = next
      removeOthers(folder, generation)
    },
    close: () => file.close(),
  }
}

function journalFile(folder: string, generation: number): string {
  return path.join(folder, `journal-${generation}.jsonl`)
}

function readSnapshot(folder: string): { generation: number; snapshot: Snapshot } | undefined {
  const file = path.join(folder, 'snapshot.json')
  if (!existsSync(file)) return undefined
  return parse<{ generation: number; snapshot: Snapshot }>(readFileSync(file, 'utf8'), file)
}

function readEntries(file: string): { entries: Entry[]; goodBytes: number } {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  const entries = whole
    .split('\n')
    .filter((line) => line !== '')
    .map((line, index) => parse<Entry>(line, `${file}, line ${index + 1}`))
  return { entries, goodBytes: Buffer.byteLength(whole) }
}

function parse<T>(text: string, where: string): T {
  try {
    return JSON.parse(text) as T
  } catch (error) {
    throw new Error(
      `${where}: expected a journal of this forge; move its folder away to start from scratch`,
      {
        cause: error,
      },
    )
  }
}

function removeOthers(folder: string, generation: number): void {
  const current = path.basename(journalFile(folder, generation))
  for (const name of readdirSync(folder)) {
    if (/^journal-\d+\.jsonl$/.test(name) && name !== current) rmSync(path.join(folder, name))
  }
}

function replaceFile(folder: string, name: string, text: string): void {
  const draft = path.join(folder, `${name}.draft`)
  const file = openSync(draft, 'w', fileMode)
  try {
    writeAll(file, Buffer.from(text))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(draft, path.join(folder, name))
}

function writeAll(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
}
