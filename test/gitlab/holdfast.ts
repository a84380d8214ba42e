import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../bin/holdfast', import.meta.url))

/** A program that has ended. */
export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs a program to its end, with this environment and nothing of ours around it. */
export async function ended(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ran> {
  const child = spawn(file, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code, out, err }
}

/** Runs `holdfast` as people start it, with a home of its own. */
export function holdfast(
  home: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  return ended(program, args, { HOME: home, HOLDFAST_DATA_DIR: home, ...env })
}
