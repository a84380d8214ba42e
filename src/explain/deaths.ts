import { type DeathList, type DeathQuery, endView, incidentView, iso } from '../api/index.ts'
import { type DeathClass, deathClasses, unexpectedClasses } from '../domain/death/index.ts'
import { hasLabels } from '../domain/pool/index.ts'
import type { DeathLedger, IncidentLedger, LedgerClock, PoolLedger } from '../ports/ledger.ts'

export type DeathsLedger = LedgerClock & PoolLedger & DeathLedger & IncidentLedger

/** Incidents that are over among which those of this time are looked for. */
const closedMax = 200

/** The fleet's view: how runners ended lately, how many of each class, and what many of them have in common. */
export async function listDeaths(query: DeathQuery, ledger: DeathsLedger): Promise<DeathList> {
  const { since: withinMs, node, limit } = query
  const classes = listedClasses(query)
  const pools = await namedPools(query, ledger)
  const wanted = { withinMs, ...(node !== undefined && { node }), ...(pools !== undefined && { pools }) }
  const [now, counts, ends, incidents] = await Promise.all([
    ledger.now(),
    ledger.endCounts(wanted),
    ledger.ends({ ...wanted, classes, limit }),
    ledger.incidents(closedMax),
  ])
  const corrections = await ledger.corrections(ends.map(({ runnerId }) => runnerId))
  const since = now - withinMs
  const causes = incidents.filter(
    ({ scope, closedAt, lastSeenAt }) => scope === 'runners' && (closedAt === null || lastSeenAt >= since),
  )
  const listed = counts.filter((row) => classes.includes(row.class))
  const total = listed.reduce((sum, { count }) => sum + count, 0)
  return {
    at: iso(now),
    since: iso(since),
    causes: causes.map(incidentView),
    counts: counts.map((row) => ({ ...row, isListed: classes.includes(row.class) })),
    deaths: ends.map((end) => endView(end, corrections.get(end.runnerId) ?? null)),
    leftOut: Math.max(0, total - ends.length),
  }
}

/** A runner has the labels of its pool. */
async function namedPools(
  { pool, label }: Pick<DeathQuery, 'pool' | 'label'>,
  ledger: DeathsLedger,
): Promise<readonly string[] | undefined> {
  if (label === undefined) return pool === undefined ? undefined : [pool]
  const having = (await ledger.pools()).filter((one) => hasLabels(one, [label])).map(({ name }) => name)
  return pool === undefined ? having : having.filter((name) => name === pool)
}

function listedClasses({ class: named, all }: DeathQuery): readonly DeathClass[] {
  if (named !== undefined) return named
  return all ? deathClasses : unexpectedClasses
}
