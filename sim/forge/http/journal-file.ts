import { closeSync, constants, ftruncateSync, openSync, writeSync } from 'node:fs'

/** Room for some hundred steps of the forge, taken ahead. */
const aheadBytes = 1024 * 1024
const zeros = Buffer.alloc(64 * 1024)

export interface JournalFile {
  readonly bytes: number
  /** Takes room on the disk for this many bytes; throws ENOSPC where there is none. */
  requireRoom(bytes: number): void
  /** Is on the file as a whole when it returns; when it throws, nothing of it is. */
  append(line: Buffer): void
  close(): void
}

/**
 * An append-only file that already owns the room for its next lines: zeros behind the last one, which are no line and are
 * cut off when it is closed. A disk that somebody else fills does not stop it at once.
 */
export function openJournalFile(path: string, goodBytes: number, mode: number): JournalFile {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, mode)
  // A line that a kill cut short was never answered for.
  ftruncateSync(file, goodBytes)
  let bytes = goodBytes
  let owned = goodBytes
  const own = (target: number): void => {
    while (owned < target) owned += writeSync(file, zeros, 0, Math.min(zeros.length, target - owned), owned)
  }
  const requireRoom = (room: number): void => {
    if (owned - bytes >= room) return
    try {
      own(bytes + aheadBytes + room)
    } catch (error) {
      if (owned - bytes < room) throw error
    }
  }
  return {
    get bytes() {
      return bytes
    },
    requireRoom,
    append(line) {
      requireRoom(line.length)
      try {
        for (let at = 0; at < line.length; ) at += writeSync(file, line, at, line.length - at, bytes + at)
      } catch (error) {
        ftruncateSync(file, bytes)
        owned = bytes
        throw error
      }
      bytes += line.length
    },
    close() {
      ftruncateSync(file, bytes)
      closeSync(file)
    },
  }
}
