import { setTimeout } from 'node:timers/promises'
import type { Place } from './place.ts'
import { type Launched, type LaunchOptions, launch } from './program.ts'

/** A Holdfast that serves. */
export interface Program extends Launched {
  /** From the start of the process to the first 200 of /readyz. */
  readonly readyAfterMs: number
}

/** The promise of the README for a bare machine. */
export const readyWithinMs = 15_000
/** A machine that is busy with other tests may take longer; who measures looks at readyAfterMs. */
const waitMaxMs = 40_000
const lookEveryMs = 50

/** Starts `holdfast up` and waits until it serves; throws with all that it said where it ends instead. */
export async function startProgram(
  place: Place,
  { args = ['up'], ...more }: Partial<LaunchOptions> = {},
): Promise<Program> {
  const startedAt = performance.now()
  const launched = launch(place, { args, ...more })
  while (launched.alive() && performance.now() - startedAt < waitMaxMs) {
    if (await isReady(place)) return { ...launched, readyAfterMs: performance.now() - startedAt }
    await setTimeout(lookEveryMs)
  }
  const { code, signal, out, err } = await launched.end('SIGKILL')
  throw new Error(`it did not serve and ended with ${signal ?? code}:\n${out}\n${err}`)
}

async function isReady(place: Place): Promise<boolean> {
  try {
    const answer = await fetch(`${place.url}/readyz`)
    await answer.text()
    return answer.status === 200
  } catch {
    return false // not listening yet
  }
}
