import { createHash } from 'node:crypto'
import { chmod, copyFile, cp, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { asUser, throughOf } from './as-user.ts'
import type { Isolation } from './types.ts'

export interface OwnProgram {
  /** The Node that runs it. */
  readonly node: string
  /** Its first source. */
  readonly main: string
  /** The folder that holds it and all that it imports. */
  readonly root: string
  /** Packages that it imports. */
  readonly packages: readonly string[]
}

const hashLength = 16

/**
 * The command of a runner program of ours, as a runner's user can start it. A checkout below /root cannot be read by
 * others: then the program, and the Node that runs it, are copied once to where it can be.
 */
export async function reachableProgram(
  isolation: Isolation,
  program: OwnProgram,
): Promise<readonly string[]> {
  const through = throughOf(isolation, isolation.range.first)
  const reaches = async (test: string, ...files: readonly string[]) =>
    (await asUser(through, `for file in "$@"; do test ${test} "$file" || exit 1; done`, ...files)) === null
  const sources = await sourcesOf(program.main)
  const packages = program.packages.map((name) =>
    path.join(program.root, 'node_modules', name, 'package.json'),
  )
  const node = (await reaches('-x', program.node))
    ? program.node
    : await copyNode(isolation.folder, program.node)
  const main = (await reaches('-r', ...sources, ...packages))
    ? program.main
    : await copySources(isolation.folder, program, sources)
  return [node, main]
}

/** The files of a command that exist and that a runner's user could not read. */
export async function unreachableFiles(
  isolation: Isolation,
  command: readonly string[],
): Promise<readonly string[]> {
  const through = throughOf(isolation, isolation.range.first)
  const isHidden = async (file: string): Promise<boolean> =>
    (await exists(file)) && (await asUser(through, 'test -r "$1"', file)) !== null
  const files = command.filter((part) => path.isAbsolute(part))
  const hidden = await Promise.all(files.map(isHidden))
  return files.filter((_, at) => hidden[at])
}

/** The source and what it imports by a relative path. */
async function sourcesOf(main: string): Promise<readonly string[]> {
  const found = [main]
  for (let at = 0; at < found.length; at++) {
    const file = found[at] as string
    for (const [, name = ''] of (await readFile(file, 'utf8')).matchAll(/from '(\.{1,2}\/[^']+\.ts)'/g)) {
      const imported = path.resolve(path.dirname(file), name)
      if (!found.includes(imported)) found.push(imported)
    }
  }
  return found
}

async function copyNode(folder: string, node: string): Promise<string> {
  const { size, mtimeMs } = await stat(node)
  const place = path.join(folder, `.node-${hash([node, String(size), String(mtimeMs)])}`)
  await once(place, async (draft) => {
    await copyFile(node, path.join(draft, 'node'))
    await chmod(path.join(draft, 'node'), 0o755)
  })
  return path.join(place, 'node')
}

async function copySources(
  folder: string,
  { main, root, packages }: OwnProgram,
  sources: readonly string[],
): Promise<string> {
  const texts = await Promise.all(sources.map((file) => readFile(file, 'utf8')))
  const place = path.join(folder, `.program-${hash([...sources, ...texts])}`)
  await once(place, async (draft) => {
    await writeFile(path.join(draft, 'package.json'), '{"type":"module"}\n', { mode: 0o644 })
    for (const [at, file] of sources.entries()) {
      const copy = path.join(draft, path.relative(root, file))
      await mkdir(path.dirname(copy), { recursive: true, mode: 0o755 })
      await writeFile(copy, texts[at] as string, { mode: 0o644 })
    }
    for (const name of packages) {
      const at = path.join('node_modules', name)
      await cp(path.join(root, at), path.join(draft, at), { recursive: true, dereference: true })
    }
  })
  return path.join(place, path.relative(root, main))
}

/** Creates a folder with its content atomically; another Holdfast may have done so meanwhile. */
async function once(place: string, fill: (draft: string) => Promise<void>): Promise<void> {
  if (await exists(place)) return
  const draft = `${place}.${process.pid}`
  try {
    await rm(draft, { recursive: true, force: true })
    await mkdir(draft, { mode: 0o755 })
    await fill(draft)
    await chmod(draft, 0o755)
    await rename(draft, place)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (!(await exists(place))) throw error
  }
}

function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  )
}

function hash(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, hashLength)
}
