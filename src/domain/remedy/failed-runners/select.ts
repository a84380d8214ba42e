import type { RunnerFact } from '../../snapshot/index.ts'
import type { SetReading } from '../reading.ts'

/** One runner of a set: whether its slot is held by a failure, or why it stays. */
export interface FailedSelection {
  readonly runner: RunnerFact
  readonly isChosen: boolean
  readonly why: string
}

/** The failed runners of a set, as the cluster calls them. Everything else about them is asked by gates. */
export function selectFailed({ set, runners }: SetReading): readonly FailedSelection[] {
  return runners.map((runner) => {
    const stays = (why: string) => ({ runner, isChosen: false, why })
    if (set === null || set.deletedAt !== null) return stays('its set is gone or is being deleted')
    if (runner.deletedAt !== null) return stays('it is being deleted already')
    if (runner.phase !== 'Failed') return stays(`its phase is ${runner.phase ?? 'unknown'}, not Failed`)
    const why = `${causeOf(runner) ?? 'failed'}. Where this cause persists, the runner that ARC makes next fails again`
    return { runner, isChosen: true, why }
  })
}

/** The cause that ARC stated; null: none. */
export function causeOf({ reason, message }: RunnerFact): string | null {
  const stated = [reason, message].filter((text) => text !== null && text !== '')
  return stated.length === 0 ? null : stated.join(': ')
}
