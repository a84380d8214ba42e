import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe } from 'vitest'

const shells = ['dash', 'busybox'] as const
export type ShellName = (typeof shells)[number]

/** A shell, and the PATH on which it finds its programs. */
export interface Shell {
  readonly command: readonly string[]
  readonly path: string
}

const systemPath = '/usr/local/bin:/usr/bin:/bin'

/** For tests: the same tests under each shell. Those of a shell that is not here are skipped and counted; the run says why. */
export function underEachShell(title: string, tests: (shell: ShellName) => void): void {
  for (const shell of shells)
    describe.skipIf(find(shell) === undefined)(`${title} ${shell}`, () => tests(shell))
}

/** For tests: dash with the machine's programs, or busybox with its own and curl alone. Throws where it is not here. */
export function openShell(name: ShellName, folder: string): Shell {
  if (name === 'dash') return { command: [programOf('dash')], path: systemPath }
  const busybox = programOf('busybox')
  const bin = path.join(folder, 'bin')
  mkdirSync(bin, { recursive: true })
  const link = (target: string, as: string): void => {
    const file = path.join(bin, as)
    if (!existsSync(file)) symlinkSync(target, file)
  }
  for (const applet of execFileSync(busybox, ['--list'], { encoding: 'utf8' }).split('\n').filter(Boolean)) {
    link(busybox, applet)
  }
  link(programOf('curl'), 'curl')
  return { command: [path.join(bin, 'sh')], path: bin }
}

function programOf(name: string): string {
  const found = find(name)
  if (found === undefined) throw new Error(`${name} is not here: install dash, busybox and curl.`)
  return found
}

function find(name: string): string | undefined {
  return systemPath
    .split(':')
    .map((folder) => path.join(folder, name))
    .find((file) => existsSync(file))
}
