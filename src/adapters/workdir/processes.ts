import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import type { RunnerProcess } from '../../domain/workdir/index.ts'
import { bounds } from './bounds.ts'
import { readableName } from './readable-name.ts'

const roles: Readonly<Record<string, RunnerProcess['role']>> = {
  'Runner.Worker\n': 'worker',
  'Runner.Listener\n': 'listener',
}

/** Processes of this machine that are named like a part of the runner; not whole where /proc hides those of others. */
export async function readProcesses(
  realRoot: string,
): Promise<{ readonly seen: readonly RunnerProcess[]; readonly isWhole: boolean }> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const seen: RunnerProcess[] = []
  for (const pid of pids) {
    const role = roles[await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')]
    if (role === undefined || (await hasEnded(pid))) continue
    const owner = await stat(`/proc/${pid}`).catch(() => null)
    if (owner === null) continue // it ended meanwhile
    const program = await programOf(pid)
    const place = await placeOfProgram(program, realRoot)
    seen.push({ pid: Number(pid), role, uid: owner.uid, program: program && readableName(program), place })
  }
  const isOthersSeen = await readFile('/proc/1/comm').then(
    () => true,
    () => false,
  )
  return {
    seen: seen.slice(0, bounds.processesMax),
    isWhole: isOthersSeen && seen.length <= bounds.processesMax,
  }
}

/** A process that ended and waits for its parent, of which no other thread runs. */
async function hasEnded(pid: string): Promise<boolean> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const state = line.slice(line.lastIndexOf(') ') + 2, line.lastIndexOf(') ') + 3)
  if (state !== 'Z' && state !== 'X') return false
  return (await readdir(`/proc/${pid}/task`).catch(() => [])).length <= 1
}

const programBytesMax = 4_096

async function programOf(pid: string): Promise<Buffer | null> {
  const line = await readFile(`/proc/${pid}/cmdline`).catch(() => Buffer.alloc(0))
  const end = line.indexOf(0)
  const program = line.subarray(0, Math.min(end < 0 ? line.length : end, programBytesMax))
  return program.length === 0 ? null : program
}

/** A program that is no file here may be that of a runner in a container, whose work folder is this one. */
async function placeOfProgram(program: Buffer | null, realRoot: string): Promise<RunnerProcess['place']> {
  if (program === null || program[0] !== '/'.charCodeAt(0)) return 'unknown'
  const file = await realpath(program).catch(() => null)
  if (file === null) return 'unknown'
  return file.startsWith(`${realRoot}/`) ? 'here' : 'elsewhere'
}
