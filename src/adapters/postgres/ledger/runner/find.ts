import type { Runner } from '../../../../domain/runner/index.ts'
import type { RunnerReader } from '../../../../ports/ledger.ts'
import { type Db, prepared, sql } from '../../connection/index.ts'
import { groupCommitAll } from '../group-commit.ts'
import { type Row, runnerColumns, toRunner } from '../rows/index.ts'

/** Runners by their names; those that are asked for at the same time in one statement. */
export function createFinding(db: Db): RunnerReader['findRunner'] {
  return groupCommitAll<string, Runner | null>({
    conflict: () => false,
    async run(names) {
      const { rows } = await db.query<Row>(
        prepared(
          'find-runners',
          sql`select ${runnerColumns} from runners where name = any (${names}::text[])`,
        ),
      )
      const byName = new Map(rows.map(toRunner).map((runner) => [runner.name, runner]))
      return names.map((name) => byName.get(name) ?? null)
    },
  })
}
