import { readFile } from 'node:fs/promises'
import { isLack } from '../../../domain/errors/index.ts'

/** Environment of everything that a runner starts: a process carries it through setsid, nohup and double forks. */
export const runnerMarker = 'HOLDFAST_RUNNER'
/** Environment of a runner's supervisor. */
export const shimMarker = 'HOLDFAST_SHIM'
/** Environment of both: which host they belong to, so that two on one machine never touch each other's. */
export const hostMarker = 'HOLDFAST_HOST'

export interface Marks {
  readonly host: string
  readonly runner: string | null
  readonly shim: string | null
}

/** The marks that a process carries; null where it has none or is another user's. Throws where we lack resources. */
export async function marksOf(pid: number): Promise<Marks | null> {
  let text: string
  try {
    text = await readFile(`/proc/${pid}/environ`, 'latin1')
  } catch (error) {
    if (isLack(error)) throw error
    return null // ended meanwhile, or not ours to read and so not ours
  }
  const host = entryOf(text, hostMarker)
  if (host === null) return null
  return { host, runner: entryOf(text, runnerMarker), shim: entryOf(text, shimMarker) }
}

function entryOf(environ: string, name: string): string | null {
  const entry = `\0${environ}`
  const at = entry.indexOf(`\0${name}=`)
  if (at === -1) return null
  const from = at + name.length + 2
  const to = entry.indexOf('\0', from)
  return entry.slice(from, to === -1 ? undefined : to)
}
