import { planScale, warmNow } from '../../../domain/pool/index.ts'
import type { Instant } from '../../../domain/time.ts'
import type { DeclaredPool } from '../../../ports/declared-pools.ts'
import type { PoolCounts } from '../../../ports/ledger.ts'
import type { HostedRunner } from '../../../ports/runner-host.ts'
import type { PoolFacts } from './conditions.ts'
import type { StatusDeps } from './deps.ts'

/** Reads the facts of every declared pool: counts from the ledger, runners from the host. */
export async function gatherFacts(deps: StatusDeps): Promise<readonly PoolFacts[]> {
  const { ledger, host, pools, startProblems, clock } = deps
  const declared = await pools.list()
  const counts = new Map((await ledger.counts()).map((row) => [row.pool, row]))
  // A common cause of deaths keeps no pool from its work; an Event on the pool reports it.
  const incidents = (await ledger.incidents(0)).filter(
    ({ closedAt, scope }) => closedAt === null && scope !== 'runners',
  )
  const hosted = Map.groupBy(await host.list(), ({ pool }) => pool)
  return declared.map((pool) => ({
    pool,
    counts: countsOf(pool, counts.get(pool.name), clock.now()),
    outdated: outdatedOf(hosted.get(pool.name) ?? [], host.template(pool.name)),
    problem: startProblems.of(pool.name),
    strays: startProblems.straysOf(pool.name),
    incidents,
  }))
}

function countsOf(
  { isLeaving, declared }: DeclaredPool,
  counts: PoolCounts | undefined,
  now: Instant,
): PoolFacts['counts'] {
  if (counts === undefined) return { queued: 0, idle: 0, busy: 0, starting: 0, leaving: 0, desired: 0 }
  const { queued, dispatchable, runners, unreadable } = counts
  const [idle, starting, leaving] = [runners.polling, runners.booting, runners.fenced]
  // A runner that only a newer version can read may well have a job.
  const busy = runners.claimed + runners.busy + unreadable
  const shown = { queued, idle, busy, starting, leaving }
  if (isLeaving) return { ...shown, desired: busy }
  if (declared.kind === 'wrong') return { ...shown, desired: idle + starting + busy }
  const { desired } = planScale({
    queued,
    dispatchable,
    idle: idle + starting,
    occupied: busy,
    warm: warmNow(declared.pool, now),
    maxRunners: declared.pool.maxRunners,
    roomMore: null,
  })
  return { ...shown, desired }
}

function outdatedOf(hosted: readonly HostedRunner[], template: string | null): number {
  if (template === null) return 0
  return hosted.filter((runner) => runner.state === 'running' && runner.template !== template).length
}
