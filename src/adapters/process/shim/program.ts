import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import { reasonOf } from '../../../domain/reason.ts'
import { uniqueFolders } from '../cgroup/index.ts'
import type { StartRecord } from '../records/index.ts'

export interface Exit {
  readonly code: number | null
  readonly signal: string | null
}

export type Launched =
  | {
      readonly kind: 'launched'
      readonly pid: number
      readonly exit: Promise<Exit>
      readonly outputClosed: Promise<void>
    }
  | { readonly kind: 'failed'; readonly reason: string }

/**
 * Puts itself into the runner's groups and then becomes the runner: no instant of it runs without limits, and
 * the supervisor stays outside of them. Output and errors share one pipe, so that their order is kept.
 */
const enterAndRun = `exec 2>&1
count=$1
shift
while [ "$count" -gt 0 ]; do
  echo $$ > "$1/cgroup.procs" || { echo "holdfast: could not enter the group $1"; exit 125; }
  shift
  count=$((count - 1))
done
exec "$@"`

/** Starts the runner's command, leader of a process group and session of its own. */
export function launch(start: StartRecord, folder: string, onOutput: (chunk: Buffer) => void): Launched {
  const problem = unusable(start.command[0])
  if (problem !== null) return { kind: 'failed', reason: problem }
  const groups = start.groups === null ? [] : uniqueFolders(start.groups.folders)
  const child = spawn(
    '/bin/sh',
    ['-c', enterAndRun, 'holdfast', String(groups.length), ...groups, ...start.command],
    { cwd: folder, env: { ...start.env }, detached: true, stdio: ['ignore', 'pipe', 'ignore'] },
  )
  const exit = new Promise<Exit>((resolve) => {
    child.on('exit', (code, signal) => resolve({ code, signal }))
  })
  const outputClosed = new Promise<void>((resolve) => child.on('close', () => resolve()))
  child.on('error', () => undefined) // a spawn that failed has no pid: said below
  child.stdout.on('data', onOutput)
  if (child.pid === undefined) return { kind: 'failed', reason: 'the system could not start a process' }
  return { kind: 'launched', pid: child.pid, exit, outputClosed }
}

function unusable(program: string | undefined): string | null {
  if (program === undefined) return 'its command is empty'
  if (!path.isAbsolute(program)) return null // looked up in PATH, which may say 127
  try {
    accessSync(program, constants.X_OK)
    return null
  } catch (error) {
    return reasonOf(error)
  }
}
