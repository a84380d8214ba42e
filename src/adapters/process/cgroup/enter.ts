import { execFile } from 'node:child_process'

const probeDeadlineMs = 5_000

/** Moves a real process into the group as a test: null if that works, else the reason. */
export function enterable(folder: string): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(
      '/bin/sh',
      ['-c', 'echo $$ > "$1/cgroup.procs"', 'sh', folder],
      { timeout: probeDeadlineMs },
      (error, _, stderr) => {
        resolve(error === null ? null : `${folder} cannot be entered: ${stderr.trim() || error.message}`)
      },
    )
  })
}
