import type { HostSamples } from '../../domain/death/index.ts'
import { entryAt, type TimelineEntry } from '../../domain/timeline/index.ts'
import { bytesText } from '../text.ts'

/** The kernel repeats itself; the first lines say who. */
const oomLinesMax = 10

/** The agent's view from the node, outside of the runner. */
export function sampleEntries(ring: HostSamples | null): TimelineEntry[] {
  if (ring === null) return []
  const last = ring.samples.at(-1)
  const peak = ring.samples.reduce((most, { memoryBytes }) => Math.max(most, memoryBytes ?? 0), 0)
  const memory = peak === 0 ? '' : `, ${bytesText(peak)} of memory at most`
  return [
    ...entryAt(
      ring.samples[0]?.at ?? null,
      'agent',
      `The agent has samples from here (${ring.samples.length}${memory}).`,
    ),
    ...ring.oomLines
      .slice(0, oomLinesMax)
      .flatMap(({ at, line }) => entryAt(at, 'agent', `The kernel wrote: ${line}`)),
    ...entryAt(last?.at ?? null, 'agent', 'The newest sample of the agent.'),
    ...entryAt(ring.endedAt, 'agent', 'The group of its processes was gone.'),
  ]
}
