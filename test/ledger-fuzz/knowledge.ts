import type { Random } from '../../sim/world/random.ts'
import type { JobEvent } from '../../src/domain/job-event/index.ts'
import type { ClaimingRunner } from '../../src/ports/ledger.ts'

/** The driver's knowledge of the ledgers. It may be late or wrong, as that of a forge and its runners may be. */
export interface Knowledge {
  /** The last number that the forge gave to a job. */
  jobNumber: number
  /** By the forge's number, the ledger's. */
  readonly jobIds: Map<number, number>
  readonly runners: ClaimingRunner[]
  readonly handles: string[]
  /** Whether the forge contradicts itself: it gives a runner one job only, and a job one runner, unless it does. */
  readonly isTruthful: boolean
  /** By the forge's number of a job, the runner that it was given to. */
  readonly given: Map<number, string>
  /** Names under which the forge knows runners, ours and strangers'. */
  readonly names: string[]
  /** Everything that the forge said lately, to be said again. */
  readonly events: JobEvent[]
  /** By handle, the configuration that was minted for it (I2). */
  readonly jits: Map<string, string>
  /** Runners whose death was sealed, and how often the ledger said so (I5). */
  readonly sealed: Map<number, number>
  /** Numbers of death records as a reader who goes on after the last one saw them. */
  readonly deathsRead: number[]
  keyNumber: number
}

export function emptyKnowledge(isTruthful: boolean): Knowledge {
  return {
    isTruthful,
    given: new Map(),
    jobNumber: 0,
    jobIds: new Map(),
    runners: [],
    handles: [],
    names: ['foreign-1', 'foreign-2'],
    events: [],
    jits: new Map(),
    sealed: new Map(),
    deathsRead: [],
    keyNumber: 1,
  }
}

/** Among so many of the newest something is chosen: what happens at the same time meets. */
const newest = 12
const eventsMax = 200

/** One of the newest of a list. */
export function recent<T>(list: readonly T[], draw: Random, of = newest): T | undefined {
  return list.length === 0 ? undefined : draw.pick(list.slice(-of))
}

export function recentJob(known: Knowledge, draw: Random): number {
  return Math.max(1, known.jobNumber - draw.below(newest))
}

/** The runner of which the forge says that it has the job; null where it has no runner to give. */
export function runnerOf(known: Knowledge, forgeJobId: number, draw: Random): string | null {
  const among = 14
  if (!known.isTruthful) return recent(known.names, draw, among) ?? null
  const given = known.given.get(forgeJobId)
  if (given !== undefined) return given
  const taken = new Set(known.given.values())
  const free = known.names.slice(-among).filter((name) => !taken.has(name))
  const name = free.length === 0 ? `foreign-to-${forgeJobId}` : draw.pick(free)
  known.given.set(forgeJobId, name)
  return name
}

export function remember(known: Knowledge, event: JobEvent): JobEvent {
  known.events.push(event)
  if (known.events.length > eventsMax) known.events.shift()
  return event
}
