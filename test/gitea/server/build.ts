import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const giteaModule = 'code.gitea.io/gitea'
const tags = 'sqlite sqlite_unlock_notify'
/** What Gitea reads at run time besides its own program; its front end is not needed. */
const assets = ['templates', 'options', 'public'] as const
const tellEveryMs = 10_000
const here = fileURLToPath(new URL('.', import.meta.url))

export interface BuiltGitea {
  readonly version: string
  readonly program: string
  /** Gitea's STATIC_ROOT_PATH. */
  readonly assets: string
}

/** Gitea as go.mod beside this file pins it: from the cache, or built into it (some minutes, once). */
export async function buildGitea(say: (line: string) => void): Promise<BuiltGitea> {
  const version = await pinnedVersion()
  const cache = process.env.HOLDFAST_CACHE_DIR ?? path.join(homedir(), '.cache', 'holdfast')
  const folder = path.join(cache, `gitea-${version}`)
  const built: BuiltGitea = { version, program: path.join(folder, 'gitea'), assets: folder }
  if (await exists(built.program)) return built
  await mustHave('go', ['version'], 'Install Go (https://go.dev/dl) to build the Gitea server for this test.')
  await mustHave(
    'cc',
    ['--version'],
    "Install a C compiler (Debian: apt install gcc) for Gitea's SQLite driver.",
  )
  const unfinished = `${folder}.${process.pid}`
  try {
    await mkdir(unfinished, { recursive: true })
    say(`building Gitea ${version} into ${folder}; this takes some minutes, once`)
    await compile(path.join(unfinished, 'gitea'), say)
    const sources = (await run('go', ['list', '-m', '-f', '{{.Dir}}', giteaModule])).trim()
    for (const asset of assets) await run('cp', ['-R', path.join(sources, asset), unfinished])
    await run('chmod', ['-R', 'u+w', unfinished]) // Go keeps its sources read-only
    await rename(unfinished, folder).catch(async (error: unknown) => {
      if (!(await exists(built.program))) throw error // else somebody else was faster
    })
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  return built
}

async function pinnedVersion(): Promise<string> {
  const text = await readFile(path.join(here, 'go.mod'), 'utf8')
  const version = /^require code\.gitea\.io\/gitea v(\S+)/m.exec(text)?.[1]
  if (version === undefined) throw new Error(`${here}go.mod: expected one line "require ${giteaModule} v…"`)
  return version
}

async function compile(to: string, say: (line: string) => void): Promise<void> {
  const args = ['build', '-v', '-trimpath', '-buildvcs=false', '-tags', tags, '-o', to, giteaModule]
  const child = spawn('go', args, {
    cwd: here,
    env: { ...process.env, CGO_ENABLED: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let packages = 0
  let last: string[] = []
  const timer = setInterval(() => say(`building Gitea: ${packages} packages compiled`), tellEveryMs)
  createInterface({ input: child.stderr }).on('line', (line) => {
    packages += 1
    last = [...last.slice(-20), line]
  })
  const [code] = await once(child, 'close').finally(() => clearInterval(timer))
  if (code !== 0) throw new Error(`go build ended with ${code}:\n${last.join('\n')}`)
}

async function mustHave(program: string, args: string[], hint: string): Promise<void> {
  await run(program, args).catch((error: unknown) => {
    throw new Error(`\`${program}\` does not run here. ${hint}`, { cause: error })
  })
}

async function run(program: string, args: string[]): Promise<string> {
  const child = spawn(program, args, { cwd: here, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  let complaint = ''
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk
  })
  child.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${complaint.slice(-500)}`)
  return text
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}
