import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'

const logBytesMax = 512 * 1024

export interface JobLogs {
  /** Keeps more of a job's log, up to a bound. */
  append(jobId: number, text: string): void
  read(jobId: number): string
  remove(jobId: number): void
}

/** Logs of jobs as files in a folder. */
export function openJobLogs(folder: string): JobLogs {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const fileOf = (jobId: number) => path.join(folder, `${jobId}.log`)
  return {
    append(jobId, text) {
      const file = fileOf(jobId)
      const room = logBytesMax - (statSync(file, { throwIfNoEntry: false })?.size ?? 0)
      if (room > 0) appendFileSync(file, Buffer.from(text).subarray(0, room), { mode: 0o600 })
    },
    read: (jobId) => (existsSync(fileOf(jobId)) ? readFileSync(fileOf(jobId), 'utf8') : ''),
    remove: (jobId) => rmSync(fileOf(jobId), { force: true }),
  }
}
