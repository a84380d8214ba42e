import path from 'node:path'
import { HoldfastError } from '../../../domain/errors/index.ts'

/** The files of one runner. */
export interface Layout {
  readonly folder: string
  /** The request to start; written by Holdfast before anything is started. */
  readonly start: string
  /** The right to start the runner: created once, by its supervisor or by a Holdfast that gave up on it. */
  readonly claim: string
  /** The processes of the runner; written by the supervisor. */
  readonly runner: string
  /** The stop request and its reason; written by Holdfast before the first signal. */
  readonly stop: string
  /** Newest output and samples, in case the supervisor is killed. */
  readonly live: string
  /** How it ended. */
  readonly ending: string
  /** The secret with which the runner authenticates; read once and unlinked by its program. */
  readonly secret: string
  /** Its working folder. */
  readonly work: string
}

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** The paths of a runner's files. Refuses a name that could lead elsewhere. */
export function layoutOf(hostFolder: string, name: string): Layout {
  if (!isRunnerName(name)) throw new HoldfastError('E_RUNNER_NAME', { name: name.slice(0, 100) })
  return filesIn(path.join(hostFolder, name))
}

/** The files in a runner's folder. */
export function filesIn(folder: string): Layout {
  return {
    folder,
    start: path.join(folder, 'start.json'),
    claim: path.join(folder, 'claim'),
    runner: path.join(folder, 'runner.json'),
    stop: path.join(folder, 'stop.json'),
    live: path.join(folder, 'live.json'),
    ending: path.join(folder, 'ending.json'),
    secret: path.join(folder, 'secret'),
    work: path.join(folder, 'work'),
  }
}

/** Folders of ours that are no runner begin with a dot. */
export function isRunnerName(name: string): boolean {
  return namePattern.test(name)
}
