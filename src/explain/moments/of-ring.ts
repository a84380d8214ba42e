import type { HostRing } from '../../domain/death/index.ts'
import { bytesText } from '../words.ts'
import { type Moment, moment } from './moment.ts'

/** The kernel repeats itself; the first lines say who. */
const OOM_LINES_MAX = 10

/** What the agent on the node saw from outside. */
export function ringMoments(ring: HostRing | null): Moment[] {
  if (ring === null) return []
  const last = ring.samples.at(-1)
  const peak = ring.samples.reduce((most, { memoryBytes }) => Math.max(most, memoryBytes ?? 0), 0)
  const memory = peak === 0 ? '' : `, ${bytesText(peak)} of memory at most`
  return [
    ...moment(
      ring.samples[0]?.at ?? null,
      'agent',
      `The agent has samples from here (${ring.samples.length}${memory}).`,
    ),
    ...ring.oomLines
      .slice(0, OOM_LINES_MAX)
      .flatMap(({ at, line }) => moment(at, 'agent', `The kernel wrote: ${line}`)),
    ...moment(last?.at ?? null, 'agent', 'The newest sample of the agent.'),
    ...moment(ring.endedAt, 'agent', 'The group of its processes was gone.'),
  ]
}
