import { classifyDeath, type DeathRecord, type Ending, plainVerdict } from '../../../domain/death/index.ts'
import type { Runner } from '../../../domain/runner/index.ts'
import type { Instant } from '../../../domain/time.ts'
import type { HostedRunner } from '../../../ports/runner-host.ts'
import { inTime, type KnownElsewhere, readElsewhere } from '../seal/index.ts'
import type { LifecycleDeps } from './deps.ts'
import type { Memory } from './memory.ts'

/** One question to the host; its own reads are bounded more narrowly. */
const askMaxMs = 15_000
const askAgainMs = 5_000
/** What the ledger said of its job so long ago may have changed: the forge speaks about the same time. */
const jobAgeMaxMs = 500

/**
 * How a runner ended, judged by all that is known now; a number: not readable yet, to be asked for again after so many
 * milliseconds. At its pool's evidence deadline it is sealed as far as it is known: counted from the host's own facts,
 * and never from later than when it was first seen here, so that neither a restart nor a clock elsewhere prolongs it.
 * Nothing here waits for the forge. The ledger is asked for the job while the host is asked for the end.
 */
export async function readRecord(
  hosted: HostedRunner,
  runner: Runner | null,
  deps: LifecycleDeps,
  memory: Memory,
): Promise<DeathRecord | number> {
  const { name } = hosted
  const by = deadlineOf(hosted, deps, memory)
  const askedAt = deps.clock.now()
  const early = readElsewhere(runner?.id ?? null, null, deps)
  const ending = await askHost(name, by, deps, memory)
  if (ending === 'later') return Math.max(0, Math.min(askAgainMs, by - deps.clock.now()))
  if (ending instanceof Error) return unreadable(ending, await elsewhere(null), hosted, deps)
  const known = await elsewhere(ending)
  return recordOf(withReason(ending, runner), known)

  async function elsewhere(of: Ending | null): Promise<KnownElsewhere> {
    const place = of?.pod?.place
    const ringOf =
      of === null ? null : { podUid: place?.uid ?? name, node: place === undefined ? null : place.node }
    if (deps.clock.now() - askedAt > jobAgeMaxMs) return readElsewhere(runner?.id ?? null, ringOf, deps)
    const [known, { ring, missing }] = await Promise.all([early, readElsewhere(null, ringOf, deps)])
    return { ...known, ring, missing: [...known.missing, ...missing] }
  }
}

function deadlineOf(hosted: HostedRunner, { host, clock }: LifecycleDeps, memory: Memory): Instant {
  const seenAt = memory.overSince(hosted.name, clock.now())
  return Math.min(hosted.exitedAt ?? seenAt, seenAt) + host.evidenceDeadlineMs(hosted.pool)
}

/** What ended while nobody looked is past its deadline when it is found, and is asked about once all the same. */
async function askHost(
  name: string,
  by: Instant,
  { host, clock, metrics, log }: LifecycleDeps,
  memory: Memory,
): Promise<Ending | null | Error | 'later'> {
  const before = memory.unreadable.get(name)
  const leftMs = by - clock.now()
  if (before !== undefined && leftMs <= 0) return before
  const atMostMs = before === undefined ? askMaxMs : Math.min(askMaxMs, leftMs)
  try {
    return await inTime(host.ending(name), atMostMs, clock, 'its host')
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(String(error))
    metrics.count('holdfast_evidence_failures_total', { what: 'ending' })
    memory.unreadable.set(name, failure)
    if (clock.now() >= by) return failure
    log.warn(
      { err: failure, runner: name, upToMs: by - clock.now() },
      'how a runner ended is not readable yet',
    )
    return 'later'
  }
}

function recordOf(ending: Ending | null, { job, ring, missing }: KnownElsewhere): DeathRecord {
  const whole = ending === null ? null : { ...ending, missing: [...ending.missing, ...missing] }
  const record = classifyDeath(whole, { job, ring })
  return ending === null ? { ...record, unknown: [...record.unknown, ...missing] } : record
}

/** Who asked a pod to go may be known to the ledger alone: the fence was written first, and outlives a restart. */
function withReason(ending: Ending | null, runner: Runner | null): Ending | null {
  if (ending === null || ending.stopRequestedBy !== null || runner?.state !== 'fenced') return ending
  return ending.pod?.deletedAt == null ? ending : { ...ending, stopRequestedBy: runner.reason }
}

function unreadable(
  { message }: Error,
  { job, ring, missing }: KnownElsewhere,
  { pool }: HostedRunner,
  { host }: LifecycleDeps,
): DeathRecord {
  const seconds = host.evidenceDeadlineMs(pool) / 1_000
  const because = [`How it ended could not be read in ${seconds} s: ${message}`]
  const finding = { class: 'unknown', confidence: 'unknown', because, unknown: missing } as const
  return { outcome: 'incomplete', ...plainVerdict('unreadable', finding), ending: null, job, ring }
}
