import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { HoldfastError } from '../../../domain/errors/index.ts'

export interface Migration {
  readonly version: number
  readonly name: string
  /** The file's name, for people. */
  readonly file: string
  readonly checksum: string
  readonly text: string
}

const fileName = /^(\d{4})_([a-z0-9_-]+)\.sql$/
/** Each file is one transaction of ours; one that ends it would be half applied after an error. */
const ownTransaction = /^\s*(begin|start\s+transaction|commit|rollback)\s*;/im

/** The migrations of a folder in order: 0001, 0002, … without gaps or doubles, or every problem in one error. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw new HoldfastError('E_MIGRATION_FILES', { folder, problems: ['the folder cannot be read'] }, error)
  })
  const sqlFiles = names.filter((name) => name.endsWith('.sql')).sort()
  const migrations = await Promise.all(sqlFiles.map((file) => read(folder, file)))
  const problems = migrations.flatMap((migration, index) => problemsOf(migration, migrations[index - 1]))
  if (problems.length > 0) throw new HoldfastError('E_MIGRATION_FILES', { folder, problems })
  return migrations
}

async function read(folder: string, file: string): Promise<Migration> {
  const text = await readFile(path.join(folder, file), 'utf8')
  const [, version, name = ''] = fileName.exec(file) ?? []
  const checksum = createHash('sha256').update(text).digest('hex')
  return { version: version === undefined ? Number.NaN : Number(version), name, file, checksum, text }
}

function problemsOf({ version, file, text }: Migration, before: Migration | undefined): string[] {
  const problems: string[] = []
  const expected = (before?.version ?? 0) + 1
  if (Number.isNaN(version)) problems.push(`${file} is not named like 0001_name.sql`)
  else if (version === before?.version) problems.push(`${file} has the number of ${before.file}`)
  else if (!Number.isNaN(expected) && version !== expected) {
    problems.push(`${file} comes where number ${String(expected).padStart(4, '0')} is expected`)
  }
  if (ownTransaction.test(text)) problems.push(`${file} begins or ends a transaction itself`)
  return problems
}
