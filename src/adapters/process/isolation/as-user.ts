import { execFile } from 'node:child_process'
import type { Isolation } from './types.ts'

/** What is done in a user's name is small: files that are removed, a signal. */
const DEADLINE_MS = 60_000

/** How a command becomes that of a user: no groups, no capabilities, and no program gives it more. */
export function throughOf({ setpriv }: Pick<Isolation, 'setpriv'>, uid: number): readonly string[] {
  const user = [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups']
  return [setpriv, ...user, '--inh-caps=-all', '--no-new-privs', '--']
}

/** Runs a small shell script as a user; null when it succeeded, else why not. */
export function asUser(
  through: readonly string[],
  script: string,
  ...args: readonly string[]
): Promise<string | null> {
  const [program = '', ...first] = through
  return new Promise((resolve) => {
    execFile(
      program,
      [...first, '/bin/sh', '-c', script, 'holdfast', ...args],
      {
        timeout: DEADLINE_MS,
        killSignal: 'SIGKILL',
        cwd: '/',
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
      },
      (error, _, stderr) => resolve(error === null ? null : stderr.trim() || error.message),
    )
  })
}
