import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Image } from './archive.ts'
import { busyboxEntries } from './busybox.ts'
import { programEntries } from './libraries.ts'
import type { Entry } from './tar.ts'

/** The image of the poller: busybox, curl and our three scripts. */
export const pollerImage = 'holdfast.test/poller:1'

/** Where the image of a runner that polls itself has them as well. */
const pollerFolder = 'holdfast'

const source = fileURLToPath(new URL('../../../images/', import.meta.url))
const curl = '/usr/bin/curl'

/** The image of the poller, of what this machine has. */
export async function makePollerImage(busybox: string): Promise<Image> {
  return {
    name: pollerImage,
    entries: [...(await busyboxEntries(busybox)), ...(await pollerEntries())],
    command: ['sh', `/${pollerFolder}/poller.sh`],
    user: '1001',
  }
}

/** curl and the poller's scripts, for any image that has a shell. */
export async function pollerEntries(): Promise<Entry[]> {
  const scripts = await Promise.all(
    ['poller/poller.sh', 'poller/run', 'vitals/vitals.sh'].map(
      async (name): Promise<Entry> => ({
        kind: 'file',
        path: `${pollerFolder}/${path.basename(name)}`,
        mode: 0o755,
        content: await readFile(`${source}${name}`),
      }),
    ),
  )
  const program = await programEntries(curl, curl).catch((error: unknown) => {
    throw new Error(`The image of the poller needs ${curl}: install curl.`, { cause: error })
  })
  return [...program, { kind: 'folder', path: pollerFolder }, ...scripts]
}
