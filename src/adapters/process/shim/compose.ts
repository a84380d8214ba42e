import { readFileSync } from 'node:fs'
import type { Ending, Sample } from '../../../domain/death/index.ts'
import type { Instant } from '../../../domain/time.ts'
import { readMemoryEnd } from '../cgroup/index.ts'
import type { Layout, StartRecord, StopRecord } from '../records/index.ts'
import type { Exit } from './program.ts'

export interface EndFacts {
  readonly exit: Exit
  readonly startedAt: Instant
  readonly endedAt: Instant
  readonly tail: string
  readonly samples: readonly Sample[]
  readonly unkilled: readonly number[]
  readonly outputWhole: boolean
}

/** How the runner ended, as its parent saw it. */
export function composeEnding(start: StartRecord, files: Layout, facts: EndFacts): Ending {
  const { exit, startedAt, endedAt, tail, samples } = facts
  const memory = start.groups === null ? null : readMemoryEnd(start.groups)
  const missing: string[] = []
  if (start.groups?.folders.memory !== undefined && memory?.oomKills === null)
    missing.push('whether the memory limit killed something: its group could not be read')
  if (facts.unkilled.length > 0)
    missing.push(`processes that could not be ended: ${facts.unkilled.join(', ')}`)
  if (!facts.outputWhole) missing.push('the last output: something still holds it open')
  return {
    exitCode: exit.code,
    signal: exit.signal,
    startedAt,
    endedAt,
    tail,
    oomKills: memory?.oomKills ?? null,
    memoryPeakBytes: memory?.peakBytes ?? highest(samples),
    memoryLimitBytes: start.groups?.memoryLimitBytes ?? null,
    samples,
    stopRequestedBy: stopReason(files),
    pod: null,
    missing,
  }
}

/** The ending of a runner whose program could not be started. */
export function neverStarted(reason: string, now: Instant): Ending {
  return {
    exitCode: null,
    signal: null,
    startedAt: null,
    endedAt: now,
    tail: `holdfast: the runner could not be started: ${reason}\n`,
    oomKills: null,
    memoryPeakBytes: null,
    memoryLimitBytes: null,
    samples: [],
    stopRequestedBy: null,
    pod: null,
    missing: [],
  }
}

/** The most memory that the samples saw; null where they saw none. */
function highest(samples: readonly Sample[]): number | null {
  const measured = samples.map((sample) => sample.memoryBytes).filter((bytes) => bytes !== null)
  return measured.length === 0 ? null : Math.max(...measured)
}

function stopReason(files: Layout): string | null {
  try {
    return (JSON.parse(readFileSync(files.stop, 'utf8')) as StopRecord).reason
  } catch {
    return null // nobody asked
  }
}
