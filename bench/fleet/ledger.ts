import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

/** The ledger's own rows, past Holdfast. */
export interface BenchLedger {
  /** Runners ever made. */
  runners(): Promise<number>
  /** Waits until so many runners that have not ended are in this state, or in any. */
  untilRunners(state: string | null, count: number, withinMs: number): Promise<void>
  untilJobs(state: string, count: number, withinMs: number): Promise<void>
  /** Open attempts and runners that have not ended. */
  untilQuiet(withinMs: number): Promise<void>
  /** The forge's own id of each job, by the ledger's. */
  forgeIds(): Promise<ReadonlyMap<string, number>>
  /** Looks what the server's connections do until called: how many of them on average do what. */
  watchWaits(): Promise<() => Promise<string>>
  /** Leaves an empty database. */
  wipe(): Promise<void>
  close(): Promise<void>
}

const lookEveryMs = 20

export async function openBenchLedger(url: string): Promise<BenchLedger> {
  const client = new pg.Client(url)
  client.on('error', () => {}) // the server may be taken down under it
  await client.connect()
  const count = async (statement: string, values: unknown[] = []): Promise<number> =>
    (await client.query(`select count(*)::int from ${statement}`, values)).rows[0].count
  const until = async (what: string, wanted: number, withinMs: number, look: () => Promise<number>) => {
    const giveUpAt = performance.now() + withinMs
    for (;;) {
      const found = await look()
      if (found === wanted) return
      if (performance.now() > giveUpAt)
        throw new Error(`${found} ${what}, not ${wanted} within ${withinMs / 1_000} s`)
      await pause(lookEveryMs)
    }
  }
  return {
    runners: () => count('runners'),
    untilRunners: (state, wanted, withinMs) =>
      until(`runners are ${state ?? 'there'}`, wanted, withinMs, () =>
        count('runners where ended_at is null and ($1::text is null or state = $1)', [state]),
      ),
    untilJobs: (state, wanted, withinMs) =>
      until(`jobs are ${state}`, wanted, withinMs, () =>
        count('jobs where ended_at is null and state = $1', [state]),
      ),
    async untilQuiet(withinMs) {
      await until('attempts are open', 0, withinMs, () => count('attempts where ended_at is null'))
      await until('runners have not ended', 0, withinMs, () => count('runners where ended_at is null'))
    },
    async forgeIds() {
      const { rows } = await client.query('select id::text, forge_job_id::float8 as forge from jobs')
      return new Map(rows.map(({ id, forge }) => [id, forge]))
    },
    watchWaits: () => watchWaits(url),
    async wipe() {
      await client.query('drop schema public cascade; create schema public')
    },
    close: () => client.end(),
  }
}

/** The wait event of each connection that is not idle; without one it works or waits for a processor. */
const waitsNow = String.raw`
  select case when state = 'idle in transaction' then 'in Holdfast after "' || left(regexp_replace(query, '\s+', ' ', 'g'), 40) || '"'
              else coalesce(wait_event_type || ' ' || wait_event, 'at work') end as what, count(*)::int as count
    from pg_stat_activity
   where backend_type = 'client backend' and state <> 'idle' and pid <> pg_backend_pid() group by 1`

async function watchWaits(url: string): Promise<() => Promise<string>> {
  const client = new pg.Client(url)
  client.on('error', () => {}) // the server may be taken down under it
  await client.connect()
  const sums = new Map<string, number>()
  let looks = 0
  let isOver = false
  const look = async (): Promise<void> => {
    for (; !isOver; looks += 1) {
      const { rows } = await client.query<{ what: string; count: number }>(waitsNow)
      for (const { what, count } of rows) sums.set(what, (sums.get(what) ?? 0) + count)
      await pause(lookEveryMs)
    }
  }
  const looking = look().catch(() => {}) // what it saw until then is shown
  return async () => {
    isOver = true
    await looking
    await client.end()
    const means = [...sums].map(([what, sum]) => ({ what, mean: sum / looks }))
    const shown = means.filter(({ mean }) => mean >= 0.05).sort((a, b) => b.mean - a.mean)
    return shown.map(({ what, mean }) => `${what} ${mean.toFixed(1)}`).join(', ')
  }
}
