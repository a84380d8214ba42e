import type { DeathRecord } from '../../src/domain/death/index.ts'
import type { Rows } from '../cluster/fleet/ledger.ts'

/** The sealed record of one runner. */
interface Sealed {
  readonly record: DeathRecord
  readonly sealedAtMs: number
  /** Records of its death; more than one must not be. */
  readonly count: number
}

/** The newest rows about runners that died, without the records of all others. */
export interface DeathLedger {
  /** The first runner of a pool, live or not. */
  first(pool: string): Promise<string | undefined>
  busy(pool: string): Promise<string | undefined>
  state(name: string): Promise<string | undefined>
  /** Under which name the forge knows a runner that has a job. */
  registeredAs(name: string): Promise<string | undefined>
  sealed(name: string): Promise<Sealed | null>
  /** Names of runners that ended and have not exactly one record. */
  unrecorded(): Promise<readonly string[]>
}

export function deathLedger(rows: Pick<Rows, 'ask'>): DeathLedger {
  const oneName = async (sql: string, pool: string): Promise<string | undefined> =>
    (await rows.ask(`select name from runners where pool = $1 ${sql} order by id limit 1`, pool))[0]?.name
  return {
    first: (pool) => oneName('', pool),
    busy: (pool) => oneName(`and state = 'busy' and ended_at is null`, pool),
    state: async (name) => (await rows.ask('select state from runners where name = $1', name))[0]?.state,
    async registeredAs(name) {
      const sql = `select forge_runner_name as registered from attempts join runners on runners.id = runner_id
                    where name = $1 order by attempts.id desc limit 1`
      return (await rows.ask(sql, name))[0]?.registered
    },
    async sealed(name) {
      const found = await rows.ask(
        `select record, extract(epoch from sealed_at)::float8 * 1000 as at
           from evidence join runners on runners.id = runner_id and runners.ended_at is not null
          where name = $1 and evidence.kind = 'runner-death'`,
        name,
      )
      return found.length === 0
        ? null
        : { record: found[0].record, sealedAtMs: found[0].at, count: found.length }
    },
    async unrecorded() {
      const found = await rows.ask(
        `select name from runners left join evidence on runner_id = runners.id and kind = 'runner-death'
          where ended_at is not null group by runners.id, name having count(evidence.id) <> 1`,
      )
      return found.map(({ name }) => name)
    },
  }
}
