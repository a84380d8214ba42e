import { mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildGo, cacheFolder, exists, mustHave, pinnedVersion, run } from '../../support/go-build.ts'

/** Releases that Holdfast is tried with, and the name of each one's module. */
const modules = { '1.26': 'code.gitea.io/gitea', '1.27': 'gitea.dev' } as const
export type GiteaRelease = keyof typeof modules
export const giteaReleases = Object.keys(modules) as readonly GiteaRelease[]
const tags = 'sqlite sqlite_unlock_notify'
/** Folders that Gitea reads at run time besides its own program; its front end is not needed. */
const assets = ['templates', 'options', 'public'] as const

export interface BuiltGitea {
  readonly version: string
  readonly program: string
  /** Gitea's STATIC_ROOT_PATH. */
  readonly assets: string
}

/** A release of Gitea as go.mod in its folder pins it: from the cache, or built into it (some minutes, once). */
export async function buildGitea(release: GiteaRelease, say: (line: string) => void): Promise<BuiltGitea> {
  const here = fileURLToPath(new URL(`./${release}/`, import.meta.url))
  const giteaModule = modules[release]
  const version = await pinnedVersion(here, giteaModule)
  // Its version is written into it: without, it calls itself a development build.
  const flags = ['-tags', tags, '-ldflags', `-X main.Version=${version}`]
  const folder = cacheFolder(`gitea-${version}-named`)
  const built: BuiltGitea = { version, program: path.join(folder, 'gitea'), assets: folder }
  if (await exists(built.program)) return built
  await mustHave(
    'cc',
    ['--version'],
    "Install a C compiler (Debian: apt install gcc) for Gitea's SQLite driver.",
  )
  const unfinished = `${folder}.${process.pid}`
  try {
    await mkdir(unfinished, { recursive: true })
    say(`building Gitea ${version} into ${folder}; this takes some minutes, once`)
    const to = path.join(unfinished, 'gitea')
    await buildGo({ module: here, package: giteaModule, to, flags, cgo: true }, say)
    const sources = (await run('go', ['list', '-m', '-f', '{{.Dir}}', giteaModule], here)).trim()
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
