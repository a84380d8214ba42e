import { execFile } from 'node:child_process'
import type { Isolation } from './types.ts'

/** Commands in a user's name are small: they remove files or send a signal. */
const deadlineMs = 60_000

/** The command prefix that makes a command run as a user: no groups, no capabilities, and no program gives it more. */
export function throughOf(
  { setpriv, shared }: Pick<Isolation, 'setpriv' | 'shared'>,
  uid: number,
): readonly string[] {
  const user = [`--reuid=${uid}`, `--regid=${shared?.gid ?? uid}`, '--clear-groups']
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
        timeout: deadlineMs,
        killSignal: 'SIGKILL',
        cwd: '/',
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
      },
      (error, _, stderr) => resolve(error === null ? null : stderr.trim() || error.message),
    )
  })
}
