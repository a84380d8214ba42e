import { readFile } from 'node:fs/promises'
import type { Image } from './archive.ts'
import { busyboxEntries } from './busybox.ts'

export type { Image } from './archive.ts'
export { busyboxEntries } from './busybox.ts'
export { holdfastImage, makeHoldfastImage } from './holdfast.ts'
export { programEntries } from './libraries.ts'
export { makePollerImage, pollerImage } from './poller.ts'
export { makeSimRunnerImage, simRunnerCommand, simRunnerImage } from './sim-runner.ts'
export type { Entry } from './tar.ts'

/** The image of the sandbox container, which holds a pod's namespaces. */
export const pauseImage = 'holdfast.test/pause:1'
/** The image of most test pods: busybox under all its names. */
export const busyboxImage = 'holdfast.test/busybox:1'

/** The images that every node has. */
export async function standardImages(tools: string, busybox: string): Promise<Image[]> {
  const pause = { kind: 'file', path: 'pause', content: await readFile(tools), mode: 0o755 } as const
  return [
    { name: pauseImage, entries: [pause], command: ['/pause', 'pause'] },
    { name: busyboxImage, entries: await busyboxEntries(busybox), command: ['/bin/sh'] },
  ]
}
