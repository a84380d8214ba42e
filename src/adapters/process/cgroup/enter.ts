import { execFile } from 'node:child_process'

const PROBE_DEADLINE_MS = 5_000

/** Whether a process can really be put into this group; null if so, else the reason. */
export function enterable(folder: string): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(
      '/bin/sh',
      ['-c', 'echo $$ > "$1/cgroup.procs"', 'sh', folder],
      { timeout: PROBE_DEADLINE_MS },
      (error, _, stderr) => {
        resolve(error === null ? null : `${folder} cannot be entered: ${stderr.trim() || error.message}`)
      },
    )
  })
}
