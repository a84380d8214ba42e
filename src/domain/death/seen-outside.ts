import type { Instant } from '../time.ts'
import { type HostEvidence, samplesUpTo, tableShare } from './host.ts'
import { knownOf } from './known.ts'
import { oomKillsOf } from './oom-kills.ts'
import type { DeathFacts } from './record.ts'
import { countedOutside, isOomRuledOut } from './rules/guest-memory.ts'

/** Memory of a runner's cgroups; each null where nobody read it. */
export interface MemorySeen {
  /** Zero only where kills were counted up to the end. */
  readonly oomKills: number | null
  readonly peakBytes: number | null
  readonly limitBytes: number | null
}

/** A runner's machine as kernel, kubelet and agent saw it. */
export interface SeenOutside {
  readonly memory: MemorySeen
  /** Whether these come from cluster or agent: of a local runner they lie in files that its job can write. */
  readonly isBeyondItsJob: boolean
  /** The fill level of its node's file table; null where it was not read. */
  readonly fileTableShare: number | null
}

/** Reads memory and file table out of an end and its samples; of a runner that lives, up to the end of its job. */
export function seenOutside(facts: DeathFacts, jobEndedAt: Instant | null): SeenOutside {
  const { ending, ring } = facts
  const evidence = { ring, ending: { endedAt: ending?.endedAt ?? jobEndedAt ?? Number.POSITIVE_INFINITY } }
  const samples = samplesUpTo(evidence)
  return {
    memory: {
      oomKills: killsOf(facts, evidence),
      peakBytes: ending?.memoryPeakBytes ?? greatest(samples.map(({ memoryBytes }) => memoryBytes)),
      limitBytes: ending?.memoryLimitBytes ?? samples.at(-1)?.memoryLimitBytes ?? null,
    },
    isBeyondItsJob: ending?.pod != null || ring !== null,
    fileTableShare: tableShare(evidence, 'nodeFilesOpen', 'nodeFilesMax'),
  }
}

function killsOf(facts: DeathFacts, evidence: HostEvidence): number | null {
  const known = knownOf(facts)
  if (known === null) return oomKillsOf(evidence)?.inAll ?? null
  const counted = countedOutside(known)
  return counted > 0 || isOomRuledOut(known) ? counted : null
}

function greatest(figures: readonly (number | null)[]): number | null {
  const read = figures.filter((figure) => figure !== null)
  return read.length === 0 ? null : read.reduce((most, figure) => Math.max(most, figure))
}
