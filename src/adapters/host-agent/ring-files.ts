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
import { reasonOf } from '../../domain/reason.ts'
import type { SampleFiles } from '../../ports/host-agent.ts'

const suffix = '.ring'
const draftSuffix = '.ring.draft'
/** A UID or the name of a local runner; nothing that leads elsewhere. */
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/
/** Several times the size of a ring's file; a larger file is not ours. */
const fileBytesMax = 512 * 1024
/** More than an agent ever keeps; the oldest of more are removed. */
const filesMax = 2_000

/**
 * Rings in a folder of this node. They outlive a crash of the agent; a crash of the node may cost the newest of them,
 * since nothing waits for the disk.
 */
export function openRingFiles(folder: string): SampleFiles {
  let missing: string | null = null
  const open = new Map<string, number>()
  const recordFailure = <T>(act: () => T): T | undefined => {
    try {
      const result = act()
      missing = null
      return result
    } catch (error) {
      missing = `rings that outlive the agent: ${reasonOf(error)}`
      return undefined
    }
  }
  const fileOf = (podUid: string): string => path.join(folder, podUid + suffix)
  const close = (podUid: string): void => {
    const descriptor = open.get(podUid)
    open.delete(podUid)
    if (descriptor !== undefined) closeSync(descriptor)
  }
  recordFailure(() => mkdirSync(folder, { recursive: true, mode: 0o700 }))

  return {
    load: () => recordFailure(() => load(folder)) ?? [],
    append(podUid, text) {
      if (!namePattern.test(podUid)) return
      recordFailure(() => {
        let descriptor = open.get(podUid)
        if (descriptor === undefined) {
          descriptor = openToAppend(fileOf(podUid))
          open.set(podUid, descriptor)
        }
        writeSync(descriptor, text)
      })
    },
    replace(podUid, text) {
      if (!namePattern.test(podUid)) return
      recordFailure(() => {
        close(podUid)
        const draft = path.join(folder, podUid + draftSuffix)
        writeFileSync(draft, text, { mode: 0o600 })
        renameSync(draft, fileOf(podUid))
      })
    },
    remove(podUid) {
      if (!namePattern.test(podUid)) return
      recordFailure(() => {
        close(podUid)
        rmSync(fileOf(podUid), { force: true })
      })
    },
    get missing() {
      return missing
    },
  }
}

/** Opens a file for appending, and ends a line that a crash truncated. */
function openToAppend(file: string): number {
  const descriptor = openSync(file, 'a', 0o600)
  const { size } = fstatSync(descriptor)
  if (size > fileBytesMax) ftruncateSync(descriptor, 0)
  else if (size > 0) writeSync(descriptor, '\n')
  return descriptor
}

function load(folder: string): { podUid: string; text: string }[] {
  for (const name of readdirSync(folder)) {
    if (name.endsWith(draftSuffix)) rmSync(path.join(folder, name), { force: true })
  }
  const found = readdirSync(folder)
    .filter((name) => name.endsWith(suffix) && namePattern.test(name))
    .map((name) => ({ file: path.join(folder, name), podUid: name.slice(0, -suffix.length) }))
    .map((one) => ({ ...one, stat: statSync(one.file) }))
    .filter(({ stat }) => stat.isFile())
    .sort((a, b) => b.stat.mtimeMs - a.stat.mtimeMs)
  for (const { file } of found.slice(filesMax)) rmSync(file, { force: true })
  return found
    .slice(0, filesMax)
    .filter(({ stat }) => stat.size <= fileBytesMax)
    .map(({ file, podUid }) => ({ podUid, text: readFileSync(file, 'utf8') }))
    .reverse() // the oldest first, as they are pushed
}
