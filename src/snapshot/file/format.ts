import { constants, gunzipSync, gzipSync } from 'node:zlib'
import { snapshotSchema } from '../../api/index.ts'
import { gotText, valueAt } from '../../api/schema/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import { isRecord } from '../../domain/is-record.ts'
import { reasonOf, systemCodeOf } from '../../domain/reason.ts'
import { type Snapshot, snapshotVersion } from '../../domain/snapshot/index.ts'
import { type Excess, excessOf } from './scan.ts'

const mib = 2 ** 20
/** Of the file. 10,000 pods compress to a few megabytes, and mail takes about 25. */
export const fileBytesMax = 64 * mib
/** Of its JSON: three times what 10,000 pods need. Node holds it twice while it is parsed. */
const jsonBytesMax = 256 * mib

/** A snapshot as the bytes of a file: JSON, compressed with gzip. `file` is named in errors. */
export function encodeSnapshot(snapshot: Snapshot, file: string): Uint8Array {
  const valid = snapshotSchema.safeParse(snapshot)
  if (!valid.success) throw invalid(valid.error, snapshot, file)
  const json = jsonOf(valid.data, file)
  checkExcess(json, file)
  const bytes = gzipSync(json)
  checkFileSize(bytes.length, file)
  return bytes
}

/** Reads the bytes of a file, however they came about. Throws an error of the table, and nothing else. */
export function decodeSnapshot(bytes: Uint8Array, file: string): Snapshot {
  checkFileSize(bytes.length, file)
  const json = unzipped(bytes, file)
  checkExcess(json, file)
  const value = parsed(json, file)
  checkVersion(value, file)
  const snapshot = snapshotSchema.safeParse(value)
  if (!snapshot.success) throw invalid(snapshot.error, value, file)
  return snapshot.data
}

/** Throws where a file of so many bytes is no snapshot of ours. */
export function checkFileSize(size: number, file: string): void {
  if (size > fileBytesMax) throw tooLarge(file, { what: 'its file is larger', max: mibText(fileBytesMax) })
}

function jsonOf(snapshot: Snapshot, file: string): Uint8Array {
  try {
    return Buffer.from(JSON.stringify(snapshot))
  } catch (error) {
    if (error instanceof RangeError) throw tooLargeUnzipped(file) // longer than any string may be
    throw error
  }
}

function unzipped(bytes: Uint8Array, file: string): Uint8Array {
  if (bytes.length === 0) throw damaged(file, 'it is empty')
  if (bytes[0] !== gzipMagic[0] || (bytes[1] ?? gzipMagic[1]) !== gzipMagic[1])
    throw damaged(file, 'expected a gzip file, got other bytes')
  try {
    return gunzipSync(bytes, { maxOutputLength: jsonBytesMax, finishFlush: constants.Z_FINISH })
  } catch (error) {
    const code = systemCodeOf(error)
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLargeUnzipped(file)
    if (code === 'Z_BUF_ERROR') throw damaged(file, 'it ends in the middle: it was not copied whole', error)
    throw damaged(file, `it cannot be decompressed (${reasonOf(error)})`, error)
  }
}

const gzipMagic = [0x1f, 0x8b] as const

function checkExcess(json: Uint8Array, file: string): void {
  if (json.length > jsonBytesMax) throw tooLargeUnzipped(file)
  const excess = excessOf(json)
  if (excess !== null) throw tooLarge(file, excess)
}

function parsed(json: Uint8Array, file: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json))
  } catch {
    throw damaged(file, 'expected JSON inside, got something else') // the cause would quote it
  }
}

function checkVersion(value: unknown, file: string): void {
  if (!isRecord(value) || typeof value.version !== 'number' || value.version <= snapshotVersion) return
  const program = typeof value.program === 'string' ? gotText(value.program, false) : 'an unknown program'
  throw new HoldfastError('E_SNAPSHOT_NEWER', {
    file,
    version: value.version,
    program,
    known: snapshotVersion,
  })
}

/** The first mistake: the rest are often its consequences. */
function invalid({ issues: [first] }: InvalidError, value: unknown, file: string): HoldfastError {
  const path = first?.path ?? []
  const expected = (first?.message ?? 'a snapshot').replace(/^Invalid input: expected /, '')
  return new HoldfastError('E_SNAPSHOT_INVALID', {
    file,
    path: path.length === 0 ? 'its top' : path.map(String).join('.'),
    expected: expected.replace(/, received .*$/, ''),
    got: shortOf(valueAt(value, path)),
  })
}

function shortOf(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (isRecord(value)) return 'an object'
  return gotText(typeof value === 'string' ? value.slice(0, shownCharsMax) : value, false)
}

const shownCharsMax = 200

type InvalidError = NonNullable<ReturnType<typeof snapshotSchema.safeParse>['error']>

function damaged(file: string, problem: string, cause?: unknown): HoldfastError {
  return new HoldfastError('E_SNAPSHOT_DAMAGED', { file, problem }, cause)
}

function tooLargeUnzipped(file: string): HoldfastError {
  return tooLarge(file, { what: 'decompressed it is larger', max: mibText(jsonBytesMax) })
}

function tooLarge(file: string, { what, max }: Excess): HoldfastError {
  return new HoldfastError('E_SNAPSHOT_TOO_LARGE', { file, what, max })
}

function mibText(bytes: number): string {
  return `${bytes / mib} MiB`
}
