import { createHash } from 'node:crypto'
import { access, mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { alone } from '../machine/alone.ts'
import { runInside } from '../machine/start-part.ts'
import { nodeName, type Place } from '../place.ts'
import type { State } from '../state.ts'
import { type Image, imageArchive } from './archive.ts'

const importing = ['ctr', '--namespace', 'k8s.io', 'images', 'import', '--no-unpack']

/** Gives an image to the nodes of a cluster, as if it had been pulled; once, where several who share it ask. */
export async function loadImage(place: Place, state: State, image: Image): Promise<void> {
  const folder = path.join(place.folder, 'images')
  await mkdir(folder, { recursive: true })
  const file = path.join(folder, `${image.name.replaceAll(/[^a-z0-9.-]/g, '_')}.tar`)
  const archive = imageArchive(image)
  const loaded = `${file}.${createHash('sha256').update(archive).digest('hex')}`
  await alone(`${file}.lock`, async () => {
    if (await isThere(loaded)) return
    await writeFile(file, archive)
    for (let index = 1; index <= state.nodes; index++) {
      await runInside(place, state, nodeName(index), [...importing, file])
    }
    await rm(file)
    await writeFile(loaded, '')
  })
}

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )
