import { mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildGo, cacheFolder, exists, mustHave, pinnedVersion, run } from '../../support/go-build.ts'

const giteaModule = 'code.gitea.io/gitea'
const tags = 'sqlite sqlite_unlock_notify'
/** What Gitea reads at run time besides its own program; its front end is not needed. */
const assets = ['templates', 'options', 'public'] as const
const here = fileURLToPath(new URL('.', import.meta.url))

export interface BuiltGitea {
  readonly version: string
  readonly program: string
  /** Gitea's STATIC_ROOT_PATH. */
  readonly assets: string
}

/** Gitea as go.mod beside this file pins it: from the cache, or built into it (some minutes, once). */
export async function buildGitea(say: (line: string) => void): Promise<BuiltGitea> {
  const version = await pinnedVersion(here, giteaModule)
  const folder = cacheFolder(`gitea-${version}`)
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
    await buildGo({ module: here, package: giteaModule, to, flags: ['-tags', tags], cgo: true }, say)
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
