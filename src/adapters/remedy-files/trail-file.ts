import { mkdir, open, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Digest } from '../../domain/canonical-json.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import { parseJson } from '../../domain/parse-json.ts'
import { reasonOf, systemCodeOf } from '../../domain/reason.ts'
import {
  chained,
  emptyHead,
  headOf,
  problemsOf,
  type TrailHead,
  type TrailRow,
} from '../../domain/trail/index.ts'
import type { Trail } from '../../ports/trail.ts'
import { syncFolder } from '../files/index.ts'
import { headSchema, rowSchema } from '../remedy-schemas/index.ts'
import { replaceSynced } from './replace-synced.ts'

const fileMode = 0o600

export interface TrailFileOptions {
  /** One row a line. */
  readonly file: string
  /** Number and hash of the last row: the second place, so that rows cannot be cut off unseen. */
  readonly headFile: string
  readonly digest: Digest
}

/**
 * The trail as a file that only grows. One process appends at a time: the caller holds the lock of the data folder's
 * remedies. Every append checks the chain first, so that nothing is done on top of a trail that was changed.
 */
export function createTrailFile({ file, headFile, digest }: TrailFileOptions): Trail {
  const rows = async () => parsed(await textOf(file), file)
  const head = async () => headIn(await textOf(headFile), headFile)
  return {
    rows,
    head,
    async append(entry) {
      const [known, noted] = [await rows(), await head()]
      const [problem] = problemsOf(known, settled(known, noted), digest)
      if (problem !== undefined) throw new HoldfastError('E_TRAIL_BROKEN', { place: file, problem })
      await dropTorn(file)
      const row = chained(entry, headOf(known), digest)
      await appendSynced(file, `${JSON.stringify(row)}\n`)
      await replaceSynced(headFile, JSON.stringify(headOf([...known, row])))
      return row
    },
  }
}

/** A program that was killed between the row and its head left one row more: it chains, and is taken for that. */
function settled(rows: readonly TrailRow[], noted: TrailHead): TrailHead {
  const last = rows.at(-1)
  return rows.length === noted.count + 1 && last?.previous === noted.hash ? headOf(rows) : noted
}

/** A row that was cut by a power failure was never acknowledged: what it announces was not begun. */
async function dropTorn(file: string): Promise<void> {
  const text = await textOf(file)
  if (text === '' || text.endsWith('\n')) return
  const handle = await open(file, 'r+')
  try {
    await handle.truncate(Buffer.byteLength(text.slice(0, text.lastIndexOf('\n') + 1)))
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function parsed(text: string, file: string): readonly TrailRow[] {
  const lines = text.split('\n').slice(0, -1)
  return lines.map((line, index) => {
    const row = rowSchema.safeParse(parseJson(line))
    if (row.success) return row.data
    throw new HoldfastError('E_TRAIL_BROKEN', { place: file, problem: `line ${index + 1} is no row` })
  })
}

function headIn(text: string, file: string): TrailHead {
  if (text === '') return emptyHead
  const head = headSchema.safeParse(parseJson(text))
  if (head.success) return head.data
  throw new HoldfastError('E_TRAIL_BROKEN', { place: file, problem: 'it is no head of a trail' })
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return ''
    throw new HoldfastError('E_TRAIL_UNREADABLE', { file, reason: reasonOf(error) }, error)
  }
}

async function appendSynced(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true })
  const handle = await open(file, 'a', fileMode)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await syncFolder(path.dirname(file))
}
