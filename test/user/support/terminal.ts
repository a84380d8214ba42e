import type { Place } from '../../program/support/place.ts'
import { type Launched, launch } from '../../program/support/program.ts'

/** The environment of a person's terminal. */
const terminal = { TERM: 'xterm-256color', COLUMNS: '80', LINES: '24' }

/** Runs a command in a real terminal (a pseudo-terminal of its own), which `type` types into. */
export function inTerminal(
  place: Place,
  command: string,
  env: Readonly<Record<string, string>> = {},
): Launched {
  const args = ['--quiet', '--flush', '--return', '--command', command, '/dev/null']
  return launch(place, {
    command: ['script'],
    args,
    env: { ...terminal, ...env },
    input: 'pipe',
    lifeMaxMs: 600_000,
  })
}

export const ctrlC = '\u0003'
