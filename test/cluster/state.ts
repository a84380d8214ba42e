import { readFile, rename, writeFile } from 'node:fs/promises'
import type { ProcessIdentity } from '../../src/adapters/process/proc/index.ts'
import type { Place } from './place.ts'

const format = 1

/** One process of the cluster, with all that is needed to start it again. */
export interface Part {
  readonly name: string
  readonly command: readonly string[]
  /** The part whose namespaces it runs in; null: those of the caller. */
  readonly inside: string | null
  /** Last process of this part; whether it lives is asked of the kernel. */
  readonly identity: ProcessIdentity | null
}

export interface State {
  readonly format: typeof format
  readonly nodes: number
  readonly kwokNodes: number
  readonly kubernetesVersion: string
  /** The tool that starts the cluster; null when it is up. */
  readonly startedBy: ProcessIdentity | null
  readonly apiPort: number
  readonly parts: readonly Part[]
}

/** Reads the state file of a cluster; null where there is none. */
export async function readState(place: Place): Promise<State | null> {
  let text: string
  try {
    text = await readFile(place.stateFile, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  const state = JSON.parse(text) as State
  if (state.format === format) return state
  throw new Error(
    `${place.stateFile} has format ${state.format}, expected ${format}: end it with the version that wrote it.`,
  )
}

/** Writes the state whole or not at all. */
export async function writeState(place: Place, state: State): Promise<void> {
  const unfinished = `${place.stateFile}.${process.pid}`
  await writeFile(unfinished, JSON.stringify(state, null, 2), { mode: 0o600 })
  await rename(unfinished, place.stateFile)
}

/** An empty state, before the first part. */
export function newState(
  options: Pick<State, 'nodes' | 'kwokNodes' | 'kubernetesVersion' | 'startedBy'>,
): State {
  return { format, apiPort: 0, parts: [], ...options }
}

/** The state with this part, in the place of one with the same name. */
export function withPart(state: State, part: Part): State {
  const others = state.parts.filter(({ name }) => name !== part.name)
  return { ...state, parts: [...others, part] }
}
