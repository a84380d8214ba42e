import type { Attempt } from '../../../../domain/attempt/index.ts'
import { type Bound, type ForgeWord, type Known, planWord } from '../../../../domain/binding/index.ts'
import { HoldfastError } from '../../../../domain/errors/index.ts'
import type { Job } from '../../../../domain/job/index.ts'
import type { Runner } from '../../../../domain/runner/index.ts'
import type { Cause } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'
import { carryOut, type Locked, lockAttempts, lockJobs, lockRunners, RowsMoved } from '../carry-out/index.ts'
import type { LedgerContext } from '../context.ts'
import { text } from '../rows/index.ts'

/** Plans and carries out what a word changes of a known job and of what is bound to it; whether that was anything. */
export async function applyWord(
  tx: Db,
  ledger: LedgerContext,
  word: ForgeWord,
  cause: Cause,
): Promise<boolean> {
  const around = await findAround(tx, word)
  const locked = await lock(tx, around)
  // While these are locked nobody binds or unbinds any of them; what was bound before the locks shows here.
  const now = await findAround(tx, word)
  if (!isSameRows(around, now)) throw new RowsMoved(`what is bound to forge job ${word.job.forgeJobId}`)
  const context = { adoptHandle: ledger.newHandle(), runningCheckMs: ledger.runningCheckMs }
  const changes = planWord(knownOf(locked, now), word, context)
  await carryOut(tx, locked, changes, cause)
  return changes.length > 0
}

/** Ids of the job, of its open attempt, and of the newest attempt under the word's runner name. */
interface Around {
  readonly now: number
  readonly job: number
  readonly of_job: number | null
  readonly of_job_runner: number | null
  readonly of_job_died_badly: boolean
  readonly of_runner: number | null
  readonly of_runner_job: number | null
  readonly of_runner_runner: number | null
  readonly of_runner_died_badly: boolean
  readonly runner_has_open_attempt: boolean
}

async function findAround(tx: Db, { job, runnerName }: ForgeWord): Promise<Around> {
  const { rows } = await tx.query<Around>(sql`
    select now() as now, jobs.id as job,
           of_job.id as of_job, of_job.runner_id as of_job_runner, of_runner.id as of_runner,
           of_runner.job_id as of_runner_job, of_runner.runner_id as of_runner_runner,
           exists (select from evidence where kind = 'runner-death' and runner_id = of_job.runner_id
                      and record ->> 'class' <> 'clean') as of_job_died_badly,
           exists (select from evidence where kind = 'runner-death' and runner_id = of_runner.runner_id
                      and record ->> 'class' <> 'clean') as of_runner_died_badly,
           exists (select from attempts where runner_id = of_runner.runner_id
                      and ended_at is null) as runner_has_open_attempt
      from jobs
      left join attempts as of_job on of_job.job_id = jobs.id and of_job.ended_at is null
      left join lateral (
             select id, job_id, runner_id from attempts
              where forge_runner_name = ${runnerName === null ? null : text(runnerName)}
              order by (ended_at is null) desc, id desc limit 1
           ) as of_runner on true
     where jobs.installation = ${job.installation} and jobs.forge_job_id = ${job.forgeJobId}`)
  if (rows[0] === undefined) throw new RowsMoved(`forge job ${job.forgeJobId}`) // it went into the archive
  return rows[0]
}

async function lock(tx: Db, around: Around): Promise<Locked> {
  const jobs = await lockJobs(tx, present(around.job, around.of_runner_job))
  const attemptIds = present(around.of_job, around.of_runner)
  if (attemptIds.length === 0) {
    return { rows: { jobs, attempts: new Map(), runners: new Map() }, now: around.now }
  }
  const attempts = await lockAttempts(tx, attemptIds)
  const runners = await lockRunners(tx, present(around.of_job_runner, around.of_runner_runner))
  return { rows: { jobs, attempts, runners }, now: around.now }
}

function present(...ids: readonly (number | null)[]): number[] {
  return [...new Set(ids.filter((id) => id !== null))]
}

function isSameRows(a: Around, b: Around): boolean {
  return (
    a.of_job === b.of_job &&
    a.of_runner === b.of_runner &&
    a.of_runner_job === b.of_runner_job &&
    a.of_job_runner === b.of_job_runner
  )
}

function knownOf({ rows }: Locked, around: Around): Known {
  const bound = (attemptId: number | null, diedBadly: boolean): Bound | null => {
    if (attemptId === null) return null
    const attempt = held<Attempt>(rows.attempts, attemptId)
    const job = held<Job>(rows.jobs, attempt.jobId)
    return { attempt, job, runner: held<Runner>(rows.runners, attempt.runnerId), diedBadly }
  }
  return {
    job: held<Job>(rows.jobs, around.job),
    ofJob: bound(around.of_job, around.of_job_died_badly),
    ofRunner: bound(around.of_runner, around.of_runner_died_badly),
    runnerHasOpenAttempt: around.runner_has_open_attempt,
  }
}

function held<T>(rows: ReadonlyMap<number, T>, id: number): T {
  const row = rows.get(id)
  if (row === undefined)
    throw new HoldfastError('E_BUG', { what: `row ${id} was found and could not be locked` })
  return row
}
