import { readlink } from 'node:fs/promises'
import { isAlive, type ProcessIdentity } from '../../../src/adapters/process/proc/index.ts'
import type { Place } from '../place.ts'
import { type Part, readState, type State, withPart, writeState } from '../state.ts'
import { alone } from './alone.ts'
import { startPart } from './start-part.ts'
import { until } from './until.ts'

const becomesWithinMs = 10_000
const endsWithinMs = 10_000

/**
 * Starts and ends the parts of one cluster and keeps its state on disk in step, one change at a time, also where several
 * processes share the cluster.
 */
export interface Keeper {
  state(): Promise<State>
  /** Starts a new part, or an old one with a new command. */
  start(name: string, command: readonly string[], inside: string | null): Promise<ProcessIdentity>
  /** Starts a part that has ended, as it was. */
  again(name: string): Promise<ProcessIdentity>
  signal(name: string, signal: NodeJS.Signals): Promise<void>
  /** Ends a part at once and waits until it is gone; what it started stays. */
  kill(name: string): Promise<void>
  note(change: Partial<Pick<State, 'startedBy' | 'apiPort'>>): Promise<void>
}

/** The keeper of the cluster in this place; after `signal` it throws and starts nothing any more. */
export function keeperOf(place: Place, signal?: AbortSignal): Keeper {
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(() => alone(`${place.stateFile}.lock`, work))
    last = mine.catch(() => undefined)
    return mine
  }
  const state = async (): Promise<State> => {
    signal?.throwIfAborted()
    const found = await readState(place)
    if (found === null) throw new Error(`There is no cluster "${place.name}".`)
    return found
  }
  const launch = async (part: Part): Promise<ProcessIdentity> => {
    const before = await state()
    const running = before.parts.find(({ name }) => name === part.name)?.identity ?? null
    if (isAlive(running)) throw new Error(`${part.name} runs already, as process ${running?.pid}.`)
    const identity = await startPart(place, before, part)
    await writeState(place, withPart(before, { ...part, identity }))
    return identity
  }
  const find = async (name: string): Promise<Part> => {
    const { parts } = await state()
    const part = parts.find((candidate) => candidate.name === name)
    if (part) return part
    throw new Error(
      `There is no part "${name}"; expected one of ${parts.map((each) => each.name).join(', ')}.`,
    )
  }
  const send = async (name: string, which: NodeJS.Signals): Promise<ProcessIdentity | null> => {
    const { identity } = await find(name)
    if (identity === null || !isAlive(identity)) return null
    process.kill(identity.pid, which)
    return identity
  }
  return {
    state,
    start: (name, command, inside) => inTurn(() => launch({ name, command, inside, identity: null })),
    again: (name) => inTurn(async () => launch(await find(name))),
    signal: async (name, which) => {
      if ((await send(name, which)) === null) throw new Error(`${name} does not run.`)
    },
    async kill(name) {
      const identity = await send(name, 'SIGKILL')
      await until(`${name} has ended`, endsWithinMs, async () => !isAlive(identity))
    },
    note: (change) => inTurn(async () => writeState(place, { ...(await state()), ...change })),
  }
}

/** Waits until a process has entered its namespaces and become this program. */
export async function becomes(identity: ProcessIdentity, program: string): Promise<void> {
  await until(`process ${identity.pid} runs ${program}`, becomesWithinMs, async () => {
    if (!isAlive(identity)) throw new Error(`process ${identity.pid} ended before it was ${program}`)
    return (await readlink(`/proc/${identity.pid}/exe`).catch(() => '')) === program
  })
}
