import pg from 'pg'

interface JobRow {
  readonly id: number
  readonly forgeJobId: number
  readonly state: string
  readonly conclusion: string | null
  readonly ended: boolean
  readonly requeues: number
}

export interface RunnerRow {
  readonly id: number
  readonly name: string
  readonly pool: string
  readonly state: string
  readonly reason: string | null
  readonly ended: boolean
  /** The sealed record of its end. */
  // biome-ignore lint/suspicious/noExplicitAny: JSON as the ledger keeps it, read by tests
  readonly record: any
}

/** The ledger's rows as they stand, past Holdfast. */
export interface Rows {
  jobs(): Promise<readonly JobRow[]>
  runners(): Promise<readonly RunnerRow[]>
  runner(name: string): Promise<RunnerRow | undefined>
  /** Attempts that are open. */
  openAttempts(): Promise<readonly { readonly runner: string; readonly state: string }[]>
  /** How often recovery decided what. */
  decisions(): Promise<Readonly<Record<string, number>>>
  /** Names of the runners on the host that this rule was about. */
  decidedOn(rule: string): Promise<readonly string[]>
  /** Records of deaths that there are of the runner of this name; more than one must not be. */
  deaths(name: string): Promise<number>
  /** Any other question; several may be asked at once. */
  // biome-ignore lint/suspicious/noExplicitAny: rows as the question names them
  ask(sql: string, ...values: unknown[]): Promise<readonly any[]>
  /** Changes the ledger behind Holdfast's back and that of its triggers, all of it or nothing. */
  tamper(...statements: readonly (readonly [sql: string, ...values: unknown[]])[]): Promise<void>
  close(): Promise<void>
}

export async function readRows(url: string): Promise<Rows> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  let last: Promise<unknown> = Promise.resolve() // the connection takes one question after another
  const runners = async () =>
    (
      await client.query<RunnerRow>(
        `select runners.id::float8, name, pool, state, reason, ended_at is not null as ended, evidence.record
           from runners left join evidence on evidence.id = runners.evidence_id order by runners.id`,
      )
    ).rows
  return {
    jobs: async () =>
      (
        await client.query<JobRow>(
          `select id::float8, forge_job_id::float8 as "forgeJobId", state, conclusion, requeues,
                  ended_at is not null as ended from jobs order by id`,
        )
      ).rows,
    runners,
    runner: async (name) => (await runners()).find((runner) => runner.name === name),
    openAttempts: async () =>
      (
        await client.query(
          `select runners.name as runner, attempts.state from attempts join runners on runners.id = runner_id
            where attempts.ended_at is null`,
        )
      ).rows,
    async decisions() {
      const { rows } = await client.query('select rule, count(*)::int from decisions group by 1')
      return Object.fromEntries(rows.map(({ rule, count }) => [rule, count]))
    },
    async decidedOn(rule) {
      const named = "select facts #>> '{hosted,name}' as name from decisions where rule = $1"
      return (await client.query(named, [rule])).rows.map(({ name }) => name)
    },
    async deaths(name) {
      const { rows } = await client.query(
        'select count(*)::int from evidence join runners on runners.id = runner_id where name = $1',
        [name],
      )
      return rows[0].count
    },
    async ask(sql, ...values) {
      const mine = last.then(() => client.query(sql, values))
      last = mine.catch(() => undefined)
      return (await mine).rows
    },
    async tamper(...statements) {
      await client.query('begin; set local session_replication_role = replica')
      try {
        for (const [sql, ...values] of statements) await client.query(sql, values)
        await client.query('commit')
      } catch (error) {
        await client.query('rollback')
        throw error
      }
    },
    close: () => client.end(),
  }
}
