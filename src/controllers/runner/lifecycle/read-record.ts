import { classifyDeath, type DeathRecord, type Ending, plainVerdict } from '../../../domain/death/index.ts'
import type { Runner } from '../../../domain/runner/index.ts'
import type { Instant } from '../../../domain/time.ts'
import type { HostedRunner } from '../../../ports/runner-host.ts'
import { inTime, type KnownElsewhere, readElsewhere } from '../seal/index.ts'
import type { LifecycleDeps } from './deps.ts'
import type { LifecycleState } from './lifecycle-state.ts'

/** The longest wait for the host; its own reads have tighter bounds. */
const askMaxMs = 15_000
const askAgainMs = 5_000
/** A job that was read longer ago may have changed: the forge reports its end about the same time. */
const jobAgeMaxMs = 500

/**
 * Reads how a runner ended, judged by everything that is known now; a number: not readable yet, to be retried after so many
 * milliseconds. At its pool's evidence deadline the end is sealed as far as it is known. The deadline counts from the
 * host's own facts, and never from later than the first sight here, so that neither a restart nor a clock elsewhere
 * prolongs it. Nothing here waits for the forge. The job is read from the ledger while the host reads the end.
 */
export async function readRecord(
  hosted: HostedRunner,
  runner: Runner | null,
  deps: LifecycleDeps,
  state: LifecycleState,
): Promise<DeathRecord | number> {
  const { name } = hosted
  const by = deadlineOf(hosted, deps, state)
  const askedAt = deps.clock.now()
  const early = readElsewhere(runner?.id ?? null, null, deps)
  const ending = await askHost(name, by, deps, state)
  if (ending === 'later') return Math.max(0, Math.min(askAgainMs, by - deps.clock.now()))
  if (ending instanceof Error) return unreadable(ending, await elsewhere(null), hosted, deps)
  const known = await elsewhere(ending)
  return recordOf(withReason(ending, runner), known)

  async function elsewhere(of: Ending | null): Promise<KnownElsewhere> {
    const place = of?.pod?.place
    const samplesKey =
      of === null ? null : { podUid: place?.uid ?? name, node: place === undefined ? null : place.node }
    if (deps.clock.now() - askedAt > jobAgeMaxMs) return readElsewhere(runner?.id ?? null, samplesKey, deps)
    const [known, { ring, missing }] = await Promise.all([early, readElsewhere(null, samplesKey, deps)])
    return { ...known, ring, missing: [...known.missing, ...missing] }
  }
}

function deadlineOf(hosted: HostedRunner, { host, clock }: LifecycleDeps, state: LifecycleState): Instant {
  const seenAt = state.overSince(hosted.name, clock.now())
  return Math.min(hosted.exitedAt ?? seenAt, seenAt) + host.evidenceDeadlineMs(hosted.pool)
}

/** An end that happened while no process ran is past its deadline when it is found, and is still read once. */
async function askHost(
  name: string,
  by: Instant,
  { host, clock, metrics, log }: LifecycleDeps,
  state: LifecycleState,
): Promise<Ending | null | Error | 'later'> {
  const before = state.unreadable.get(name)
  const leftMs = by - clock.now()
  if (before !== undefined && leftMs <= 0) return before
  const atMostMs = before === undefined ? askMaxMs : Math.min(askMaxMs, leftMs)
  try {
    return await inTime(host.ending(name), atMostMs, clock, 'its host')
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(String(error))
    metrics.count('holdfast_evidence_failures_total', { what: 'ending' })
    state.unreadable.set(name, failure)
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

/** The reason of a stop may be in the ledger alone: the fence was written first, and survives a restart. */
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
