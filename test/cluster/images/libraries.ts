import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { run } from '../../support/go-build.ts'
import type { Entry } from './tar.ts'

/** A program of this machine with the libraries that it is linked with, at the paths where it looks for them. */
export async function programEntries(file: string, to: string): Promise<Entry[]> {
  const listed = await run('ldd', [file]).catch(() => '') // a static one has none
  const libraries = [...listed.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map((match) => match[1] as string)
  const entries: Entry[] = [{ kind: 'file', path: relative(to), content: await readFile(file), mode: 0o755 }]
  for (const library of new Set(libraries)) {
    entries.push({ kind: 'file', path: relative(library), content: await readFile(library), mode: 0o755 })
  }
  return entries
}

function relative(file: string): string {
  return path.relative('/', file)
}
