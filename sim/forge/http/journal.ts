import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
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

/** A longer journal is folded into a snapshot. */
const JOURNAL_BYTES_MAX = 16 * 1024 * 1024
/** It holds runners' secrets. */
const FILE_MODE = 0o600

interface Entry {
  readonly changes: readonly Change[]
  readonly counters: Counters
}

export interface Journal {
  /** What was kept: the newest snapshot, and what happened since. */
  readonly kept: { readonly snapshot: Snapshot | undefined; readonly entries: readonly Entry[] }
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
  let file = openSync(journalFile(folder, generation), 'a', FILE_MODE)
  // A line that a kill cut short was never answered for.
  ftruncateSync(file, goodBytes)
  let bytes = goodBytes
  removeOthers(folder, generation)
  return {
    kept: { snapshot: stored?.snapshot, entries },
    append(changes, counters) {
      const line = Buffer.from(`${JSON.stringify({ changes, counters })}\n`)
      try {
        writeAll(file, line)
      } catch (error) {
        ftruncateSync(file, bytes)
        throw error
      }
      bytes += line.length
    },
    get isLong() {
      return bytes > JOURNAL_BYTES_MAX
    },
    fold(snapshot) {
      const next = generation + 1
      const nextFile = openSync(journalFile(folder, next), 'w', FILE_MODE)
      replaceFile(folder, 'snapshot.json', JSON.stringify({ generation: next, snapshot }))
      closeSync(file)
      file = nextFile
      generation = next
      bytes = 0
      removeOthers(folder, generation)
    },
    close: () => closeSync(file),
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
    throw new Error(`${where}: expected what this forge wrote; move its folder away to begin anew`, {
      cause: error,
    })
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
  const file = openSync(draft, 'w', FILE_MODE)
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
