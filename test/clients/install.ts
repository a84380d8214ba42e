import { createHash } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildGo, cacheFolder, exists, mustHave, pinnedVersion, run } from '../support/go-build.ts'

export interface Client {
  readonly name: string
  readonly version: string
  /** The command that drives the forge, installed once; throws where it cannot be had here. */
  install(say: (line: string) => void): Promise<readonly string[]>
}

const folderOf = (name: string) => fileURLToPath(new URL(`./${name}/`, import.meta.url))
const python = folderOf('python')
const go = folderOf('go')

/** The clients, in the versions that requirements.txt and go.mod pin. */
export const clients: readonly Client[] = [
  { name: 'pygithub', version: await pinned(), install: installPython },
  {
    name: 'go-github',
    version: await pinnedVersion(go, 'github.com/google/go-github/v88'),
    install: installGo,
  },
]

async function pinned(): Promise<string> {
  return /^PyGithub==(.*)$/m.exec(await readFile(path.join(python, 'requirements.txt'), 'utf8'))?.[1] ?? ''
}

async function installPython(say: (line: string) => void): Promise<readonly string[]> {
  const requirements = path.join(python, 'requirements.txt')
  const folder = cacheFolder(`pygithub-${await hashOf(requirements)}`)
  const program = path.join(folder, 'bin', 'python')
  const whole = path.join(folder, 'whole')
  if (!(await exists(whole))) {
    await mustHave('python3', ['-m', 'venv', '--help'], 'Install Python with venv (Debian: python3-venv).')
    say(`installing PyGithub into ${folder}, once`)
    await rm(folder, { recursive: true, force: true })
    await mkdir(path.dirname(folder), { recursive: true })
    await run('python3', ['-m', 'venv', folder])
    await run(program, ['-m', 'pip', 'install', '--quiet', '--no-deps', '--requirement', requirements])
    await writeFile(whole, '')
  }
  return [program, path.join(python, 'client.py')]
}

async function installGo(say: (line: string) => void): Promise<readonly string[]> {
  const parts = await Promise.all(
    ['client.go', 'checks.go', 'go.sum'].map((file) => hashOf(path.join(go, file))),
  )
  const program = path.join(cacheFolder('go-github'), `client-${parts.join('-')}`)
  if (!(await exists(program))) await buildGo({ module: go, package: '.', to: program }, say)
  return [program]
}

async function hashOf(file: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex')
    .slice(0, 12)
}
