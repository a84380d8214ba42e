import { type IncidentKind, poolIncidents } from '../../../domain/incident/index.ts'
import { remedyOf } from '../../../domain/pool/index.ts'
import type { Instant } from '../../../domain/time.ts'
import { done, eachApart, type Loop, type Outcome } from '../../../loop/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { DeclaredPools } from '../../../ports/declared-pools.ts'
import type { Ledger } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import type { StartProblems } from '../start-problems.ts'

interface PoolProblemsDeps {
  readonly ledger: Pick<Ledger, 'pools' | 'incidents' | 'raiseIncident' | 'liftIncident'>
  readonly startProblems: StartProblems
  /** Null where pools are in the configuration, which is refused as a whole where it is invalid. */
  readonly pools: DeclaredPools | null
  readonly installation: string
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
}

const resyncMs = 15_000
/** A node that is being provisioned, or an image that is pulled again, needs no person. */
const openAfterMs = 30_000
/** A problem that comes and goes, or that a new leader has not met yet, stays one incident. */
const closeAfterMs = 60_000
const reasonCharsMax = 1_000

interface Problem {
  readonly kind: IncidentKind
  readonly pool: string
  readonly reason: string
  readonly since: Instant
}

/**
 * Keeps an incident for each pool whose runners do not start, or whose declaration is invalid: in the ledger, so that
 * `holdfast why` and every replica can say what keeps the pool's jobs waiting.
 */
export function poolProblemsLoop(deps: PoolProblemsDeps): Loop {
  const { ledger, startProblems, pools, installation, clock, log, metrics } = deps
  /** Since when a problem with an open incident has not occurred. */
  const clearSince = new Map<string, Instant>()
  const incidentOf = ({ kind, pool: key }: Pick<Problem, 'kind' | 'pool'>) =>
    ({ kind, installation, scope: 'runners', key }) as const

  async function list(now: Instant): Promise<readonly Problem[]> {
    const starting = (await ledger.pools()).flatMap(({ name: pool }): Problem[] => {
      const problem = startProblems.of(pool)
      if (problem === null) return []
      const reason = `${problem.kind}: ${problem.message} ${remedyOf(problem.kind)}`
      return [{ kind: poolIncidents.start, pool, reason, since: problem.since }]
    })
    const declared = (await pools?.list()) ?? []
    const wrong = declared.flatMap(({ name: pool, declared: spec }): Problem[] => {
      if (spec.kind === 'pool') return []
      return [{ kind: poolIncidents.spec, pool, reason: spec.problems.join('; '), since: now - openAfterMs }]
    })
    return [...starting, ...wrong].map((one) => ({ ...one, reason: one.reason.slice(0, reasonCharsMax) }))
  }

  async function raise(problem: Problem): Promise<void> {
    const { kind, pool, reason } = problem
    if ((await ledger.raiseIncident({ ...incidentOf(problem), reason }, 0)) !== 'opened') return
    metrics.count('holdfast_incidents_total', { kind })
    log.error({ incident: kind, pool, reason }, 'a pool needs a person')
  }

  async function pass(signal: AbortSignal): Promise<Outcome> {
    const now = clock.now()
    const problems = await list(now)
    const kinds: readonly IncidentKind[] = Object.values(poolIncidents)
    const open = (await ledger.incidents(0)).filter(
      (each) => each.closedAt === null && each.installation === installation && kinds.includes(each.kind),
    )
    const isSame = (a: Problem, b: { kind: IncidentKind; key: string }) =>
      a.kind === b.kind && a.pool === b.key
    const raised = problems.filter((problem) => {
      const known = open.find((each) => isSame(problem, each))
      return known === undefined ? now - problem.since >= openAfterMs : known.reason !== problem.reason
    })
    const over = open.filter((each) => {
      const name = `${each.kind} ${each.key}`
      const isMet = problems.some((problem) => isSame(problem, each))
      if (isMet) clearSince.delete(name)
      else if (!clearSince.has(name)) clearSince.set(name, now)
      return !isMet && now - (clearSince.get(name) ?? now) >= closeAfterMs
    })
    const acts = [
      ...raised.map((problem) => ({ pool: problem.pool, act: () => raise(problem) })),
      ...over.map(({ kind, key }) => ({
        pool: key,
        act: async () => {
          await ledger.liftIncident(incidentOf({ kind, pool: key }))
          clearSince.delete(`${kind} ${key}`)
        },
      })),
    ]
    const failed = ({ pool }: { pool: string }, err: unknown) =>
      log.warn({ pool, err }, 'what keeps a pool from its work could not be noted')
    await eachApart(acts, ({ act }) => act(), failed, signal)
    return done
  }

  return {
    name: 'pool-problems',
    resyncMs,
    wokenBy: () => false,
    subscribe: (notify) => startProblems.onChange(notify),
    pass,
  }
}
