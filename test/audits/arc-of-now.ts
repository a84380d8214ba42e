import type { ArcState } from '../support/arc-states.ts'

/** The image of runners in the states as they were written. */
export const writtenImage = 'ghcr.io/actions/actions-runner:2.330.0'
/** Names there; each replay has its own. */
const written = { set: 'arc-demo', runners: 'arc-runners', systems: 'arc-systems' } as const

/** Something about a state that was otherwise when it was written. */
export interface ArcChange {
  readonly runnerImage?: string
  /** Its name; runners pull with it. */
  readonly pullSecret?: string
  /** Runners wait for their image. */
  readonly isRefused?: boolean
}

/** Its names are the stage's, and its times are as far from now as they were from the end of the dump. */
export function ofNow(
  state: ArcState,
  namespace: string,
  { runnerImage = writtenImage }: ArcChange,
): ArcState {
  const shiftMs = Date.now() - state.forge.now / 1e6
  const renamed = JSON.stringify(state)
    .replaceAll(written.set, namespace)
    .replaceAll(written.runners, namespace)
    .replaceAll(written.systems, namespace)
    .replaceAll(writtenImage, runnerImage)
  return JSON.parse(renamed.replace(times, (...words) => shifted(words, shiftMs)))
}

const times = /(\d{4})([-/])(\d\d)[-/](\d\d)([T ])(\d\d:\d\d:\d\d)(\.\d+)?/g

function shifted(
  [, year, dash, month, day, between, time, fraction = '']: readonly string[],
  byMs: number,
): string {
  const at = Date.parse(`${year}-${month}-${day}T${time}Z`) + byMs
  const [date = '', clock = ''] = new Date(at).toISOString().split('T')
  return `${date.replaceAll('-', dash ?? '-')}${between}${clock.slice(0, 8)}${fraction}`
}
