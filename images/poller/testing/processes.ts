import { readdirSync, readFileSync } from 'node:fs'

export interface Seen {
  readonly pid: number
  readonly command: string
  readonly environment: string
}

/** For tests: a process and all that it started, as every process of its user can see them. */
export function descendants(root: number): Seen[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const stat = read(`/proc/${name}/stat`)
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
  }
  const isOurs = (pid: number): boolean => {
    for (let at: number | undefined = pid; at !== undefined && at > 1; at = parents.get(at)) {
      if (at === root) return true
    }
    return false
  }
  return [...parents.keys()].filter(isOurs).map((pid) => ({
    pid,
    command: read(`/proc/${pid}/cmdline`).replaceAll('\0', ' '),
    environment: read(`/proc/${pid}/environ`).replaceAll('\0', '\n'),
  }))
}

/** A process that ended and was not collected by its parent is dead too. */
export function isAlive(pid: number): boolean {
  const stat = read(`/proc/${pid}/stat`)
  return stat !== '' && !/\) [ZX] /.test(stat)
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
