import { writeFileSync } from 'node:fs'
import { access, chmod, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'

export interface PausedFind {
  /** Runs the command in SSH_ORIGINAL_COMMAND as sshd would, but with this folder first in its PATH. */
  readonly runner: string
  /** Acts while the next `find` that reads all entries waits to begin. */
  readonly whileReading: (work: string, act: () => Promise<unknown>) => void
  /** Acts while the next session that is to change a folder waits to begin. */
  readonly beforeAct: (act: () => Promise<unknown>) => void
  /** Acts while the next `find` that removes waits to begin: the host has looked at its processes already. */
  readonly beforeRemoval: (act: () => Promise<unknown>) => void
}

/** A `find` that waits where it is asked to: whatever happens meanwhile happens between the two looks at the processes. */
export async function createPausedFind(folder: string): Promise<PausedFind> {
  const at = (name: string): string => path.join(folder, name)
  const runner = at('run')
  const wait = (name: string): string =>
    `if [ -e ${at(name)} ]; then : > ${at(name)}.met; while [ -e ${at(name)} ]; do sleep 0.02; done; fi`
  await chmod(folder, 0o777) // the account of a session reports from here
  await program(runner, [
    `case $SSH_ORIGINAL_COMMAND in *holdfast-act*) ${wait('act')} ;; esac`,
    `exec sh -c "$(printf %s "$SSH_ORIGINAL_COMMAND" | sed "s#PATH=/usr/local/bin#PATH=${folder}:/usr/local/bin#")"`,
  ])
  await program(at('find'), [
    'case " $* " in',
    `  *" -readable "*) ${wait('read')} ;;`,
    `  *" -delete "*) ${wait('removal')} ;;`,
    'esac',
    'PATH=/usr/bin:/bin exec find "$@"',
  ])
  const during = (name: string, act: () => Promise<unknown>): void => {
    writeFileSync(at(name), '')
    const meanwhile = async (): Promise<void> => {
      while (!(await isThere(`${at(name)}.met`))) await setTimeout(10)
      await act()
      await rm(`${at(name)}.met`)
      await rm(at(name))
    }
    void meanwhile()
  }
  return {
    runner,
    whileReading: (_work, act) => during('read', act),
    beforeAct: (act) => during('act', act),
    beforeRemoval: (act) => during('removal', act),
  }
}

async function program(file: string, lines: readonly string[]): Promise<void> {
  await writeFile(file, ['#!/bin/sh', ...lines, ''].join('\n'))
  await chmod(file, 0o755)
}

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}
