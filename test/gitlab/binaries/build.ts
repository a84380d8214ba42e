import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildGo, cacheFolder, exists } from '../../support/go-build.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const upstream = 'gitlab.com/gitlab-org/gitlab-runner'
/** The release that go.mod pins by its commit: the module proxy knows no tag of it. */
export const runnerVersion = '19.4.0'

/** GitLab Runner's own programs. */
export interface GitlabBinaries {
  /** `gitlab-runner`, with the Kubernetes executor alone. */
  readonly manager: string
  readonly helper: string
}

/** Both programs at the commit that go.mod pins: from the cache, or built into it (minutes, once). */
export async function buildGitlabRunner(say: (line: string) => void): Promise<GitlabBinaries> {
  const folder = cacheFolder(`gitlab-runner-${runnerVersion}-${await sourcesHash()}`)
  const programs = [
    { package: './manager', to: path.join(folder, 'gitlab-runner') },
    { package: `${upstream}/apps/gitlab-runner-helper`, to: path.join(folder, 'gitlab-runner-helper') },
  ] as const
  const flags = ['-ldflags', `-s -w -X ${upstream}/common.VERSION=${runnerVersion}`]
  for (const program of programs) {
    if (await exists(program.to)) continue
    say(`building ${program.to} (some minutes, once)`)
    await buildGo({ module: here, flags, ...program }, say)
  }
  return { manager: programs[0].to, helper: programs[1].to }
}

/** A hash over the text of our own sources, which have no version. */
async function sourcesHash(): Promise<string> {
  const files = (await readdir(here, { recursive: true })).filter((file) =>
    /(?:\.go|go\.(?:mod|sum))$/.test(file),
  )
  const hash = createHash('sha256')
  for (const file of files.sort()) hash.update(file).update(await readFile(path.join(here, file)))
  return hash.digest('hex').slice(0, 12)
}
