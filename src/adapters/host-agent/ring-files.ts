import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import type { RingFiles } from '../../ports/host-agent.ts'

const SUFFIX = '.ring'
const DRAFT_SUFFIX = '.ring.draft'
/** A UID or the name of a local runner; nothing that leads elsewhere. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/
/** Some times what a ring's file grows to; what is larger is not ours. */
const FILE_BYTES_MAX = 512 * 1024
/** More than an agent ever keeps; the oldest of more are removed. */
const FILES_MAX = 2_000

/**
 * Rings in a folder of this node. They outlive a crash of the agent; a crash of the node may cost the newest of them,
 * since nothing waits for the disk.
 */
export function openRingFiles(folder: string): RingFiles {
  let missing: string | null = null
  const open = new Map<string, number>()
  const told = <T>(act: () => T): T | undefined => {
    try {
      const result = act()
      missing = null
      return result
    } catch (error) {
      missing = `rings that outlive the agent: ${error instanceof Error ? error.message : error}`
      return undefined
    }
  }
  const fileOf = (podUid: string): string => path.join(folder, podUid + SUFFIX)
  const close = (podUid: string): void => {
    const descriptor = open.get(podUid)
    open.delete(podUid)
    if (descriptor !== undefined) closeSync(descriptor)
  }
  told(() => mkdirSync(folder, { recursive: true, mode: 0o700 }))

  return {
    load: () => told(() => load(folder)) ?? [],
    append(podUid, text) {
      if (!NAME.test(podUid)) return
      told(() => {
        let descriptor = open.get(podUid)
        if (descriptor === undefined) {
          descriptor = openToAppend(fileOf(podUid))
          open.set(podUid, descriptor)
        }
        writeSync(descriptor, text)
      })
    },
    replace(podUid, text) {
      if (!NAME.test(podUid)) return
      told(() => {
        close(podUid)
        const draft = path.join(folder, podUid + DRAFT_SUFFIX)
        writeFileSync(draft, text, { mode: 0o600 })
        renameSync(draft, fileOf(podUid))
      })
    },
    remove(podUid) {
      if (!NAME.test(podUid)) return
      told(() => {
        close(podUid)
        rmSync(fileOf(podUid), { force: true })
      })
    },
    get missing() {
      return missing
    },
  }
}

/** After a crash in the middle of a line the next one begins anew. */
function openToAppend(file: string): number {
  const descriptor = openSync(file, 'a', 0o600)
  const { size } = fstatSync(descriptor)
  if (size > FILE_BYTES_MAX) ftruncateSync(descriptor, 0)
  else if (size > 0) writeSync(descriptor, '\n')
  return descriptor
}

function load(folder: string): { podUid: string; text: string }[] {
  for (const name of readdirSync(folder)) {
    if (name.endsWith(DRAFT_SUFFIX)) rmSync(path.join(folder, name), { force: true })
  }
  const found = readdirSync(folder)
    .filter((name) => name.endsWith(SUFFIX) && NAME.test(name))
    .map((name) => ({ file: path.join(folder, name), podUid: name.slice(0, -SUFFIX.length) }))
    .map((one) => ({ ...one, stat: statSync(one.file) }))
    .filter(({ stat }) => stat.isFile())
    .sort((a, b) => b.stat.mtimeMs - a.stat.mtimeMs)
  for (const { file } of found.slice(FILES_MAX)) rmSync(file, { force: true })
  return found
    .slice(0, FILES_MAX)
    .filter(({ stat }) => stat.size <= FILE_BYTES_MAX)
    .map(({ file, podUid }) => ({ podUid, text: readFileSync(file, 'utf8') }))
    .reverse() // the oldest first, as they are pushed
}
