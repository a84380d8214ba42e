import pg from 'pg'

/** A job as Holdfast's ledger has it; times in milliseconds. */
export interface LedgerRow {
  readonly forgeJobId: number
  readonly state: string
  readonly conclusion: string | null
  readonly executor: string | null
  readonly queuedAt: number | null
  readonly startedAt: number | null
  readonly completedAt: number | null
  readonly ended: boolean
  readonly requeues: number
  readonly quarantine: string | null
}

/** Reads the ledger's rows as they stand, past Holdfast. */
export interface LedgerReader {
  jobs(): Promise<ReadonlyMap<number, LedgerRow>>
  counts(): Promise<{ readonly jobs: number; readonly ended: number; readonly openAttempts: number }>
  /** How often recovery decided what, and what became of deliveries. */
  tallies(): Promise<
    Readonly<Record<'decisions' | 'deliveries' | 'deaths', Readonly<Record<string, number>>>>
  >
  close(): Promise<void>
}

export async function readLedger(url: string): Promise<LedgerReader> {
  const client = new pg.Client(url)
  await client.connect()
  const tally = async (statement: string) => {
    const { rows } = await client.query<{ key: string; count: number }>(statement)
    return Object.fromEntries(rows.map(({ key, count }) => [key, count]))
  }
  return {
    async jobs() {
      const { rows } = await client.query(
        `select forge_job_id::float8 as "forgeJobId", state, conclusion, executor, requeues, quarantine,
                ended_at is not null as ended,
                (extract(epoch from forge_queued_at) * 1000)::float8 as "queuedAt",
                (extract(epoch from forge_started_at) * 1000)::float8 as "startedAt",
                (extract(epoch from forge_completed_at) * 1000)::float8 as "completedAt"
           from jobs`,
      )
      return new Map(rows.map((row: LedgerRow) => [row.forgeJobId, row]))
    },
    async counts() {
      const { rows } = await client.query(
        `select (select count(*)::int from jobs) as jobs,
                (select count(*)::int from jobs where ended_at is not null) as ended,
                (select count(*)::int from attempts where ended_at is null) as "openAttempts"`,
      )
      return rows[0]
    },
    tallies: async () => ({
      decisions: await tally('select rule as key, count(*)::int from decisions group by 1 order by 2 desc'),
      deliveries: await tally(
        'select state as key, count(*)::int from deliveries group by 1 order by 2 desc',
      ),
      deaths: await tally(
        `select record ->> 'class' as key, count(*)::int from evidence where kind = 'runner-death' group by 1`,
      ),
    }),
    close: () => client.end(),
  }
}
