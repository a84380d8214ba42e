import { type DeathRecord, runnerDeath } from '../../../../domain/death/index.ts'
import type { Job } from '../../../../domain/job/index.ts'
import { type Change, planJudged } from '../../../../domain/job-event/index.ts'
import { isLive } from '../../../../domain/runner/index.ts'
import type { Cause, DeathLedger } from '../../../../ports/ledger.ts'
import { type Database, type Db, prepared, sql } from '../../connection/index.ts'
import { isSameCause } from '../cause.ts'
import { groupCommitAll } from '../group-commit.ts'
import { applyPlan, lockJobs, notify, RowsMoved } from '../plan/index.ts'
import { type LockedRunners, lockWithAttempts } from './lock.ts'

interface Death {
  readonly runnerId: number
  readonly record: DeathRecord
  readonly reason: string
  readonly cause: Cause
}

type Outcome = Awaited<ReturnType<DeathLedger['sealDeath']>>

/**
 * Seals a runner's death record, once, and ends the runner; its open attempt is due at once. Those that end together
 * are sealed together.
 */
export function createSealing(database: Database): DeathLedger['sealDeath'] {
  const seal = groupCommitAll<Death, Outcome>({
    conflict: (a, b) => a.runnerId === b.runnerId || !isSameCause(a.cause, b.cause),
    run: (deaths) => database.transaction((tx) => sealAll(tx, deaths)),
  })
  return (runnerId, record, reason, cause) => seal({ runnerId, record, reason, cause })
}

async function sealAll(tx: Db, deaths: readonly Death[]): Promise<Outcome[]> {
  const locked = await lockWithJobs(tx, deaths)
  // A row goes only after its death was sealed.
  const isOpen = locked.each.map((one) => one !== null && isLive(one.runner))
  const judged = deaths.map(({ runnerId, record }, place) =>
    isOpen[place] ? planJudged(runnerDeath(record, locked.now), locked.ranBy(runnerId)) : [],
  )
  const changes = deaths.flatMap(({ runnerId, record, reason }, place): Change[] =>
    isOpen[place] ? [{ on: 'runner-gone', id: runnerId, record, reason }, ...(judged[place] ?? [])] : [],
  )
  const [first] = deaths
  if (changes.length > 0 && first !== undefined) {
    await applyPlan(tx, locked, changes, first.cause)
    const attempts = locked.each.flatMap((one, place) =>
      isOpen[place] && one?.attempt != null ? [one.attempt.id] : [],
    )
    if (attempts.length > 0) await makeDue(tx, attempts)
    await notify(tx, 'recovery')
  }
  return isOpen.map((was, place) => (!was ? 'already' : judged[place]?.length ? 'lost' : 'sealed'))
}

interface LockedForSeal extends LockedRunners {
  /** Jobs that have ended and that ran on this runner, as the forge says. */
  ranBy(runnerId: number): readonly Job[]
}

/** Jobs are locked before runners, by everybody. A clean end of which nobody asked changes none, and asks for none. */
async function lockWithJobs(tx: Db, deaths: readonly Death[]): Promise<LockedForSeal> {
  const asked = deaths.filter(({ record }) => mayLose(record)).map(({ runnerId }) => runnerId)
  const before = await endedJobsOf(tx, asked)
  const jobIds = [...before.keys()]
  const jobs = jobIds.length === 0 ? new Map<number, Job>() : await lockJobs(tx, jobIds)
  const locked = await lockWithAttempts(
    tx,
    deaths.map(({ runnerId }) => runnerId),
  )
  // A job event that was applied meanwhile ended another job; while the runners are locked none can.
  const after = await endedJobsOf(tx, asked)
  if ([...after.keys()].join() !== jobIds.join()) throw new RowsMoved(`of runners ${asked}: the job of one`)
  return {
    ...locked,
    rows: { ...locked.rows, jobs },
    ranBy: (runnerId) => [...jobs.values()].filter(({ id }) => after.get(id) === runnerId),
  }
}

function mayLose({ class: of, ending }: DeathRecord): boolean {
  return of !== 'clean' || (ending?.pod?.deletedAt ?? null) !== null
}

/** Jobs that the forge ended, each with the runner on which it says that they ran; not past their pool's limit. */
async function endedJobsOf(tx: Db, runnerIds: readonly number[]): Promise<Map<number, number>> {
  if (runnerIds.length === 0) return new Map()
  const { rows } = await tx.query<{ job: number; runner: number }>(
    prepared(
      'ended-jobs-of-runners',
      sql`
    select distinct jobs.id as job, attempts.runner_id as runner
      from attempts
      join jobs on jobs.id = attempts.job_id and jobs.executor = attempts.forge_runner_name
     where attempts.runner_id = any (${runnerIds}::bigint[]) and jobs.state in ('completed', 'cancelled')
       and attempts.past_deadline is null
     order by jobs.id`,
    ),
  )
  return new Map(rows.map(({ job, runner }) => [job, runner]))
}

async function makeDue(tx: Db, attemptIds: readonly number[]): Promise<void> {
  await tx.query(sql`update attempts set check_at = now() where id = any (${attemptIds}::bigint[])`)
}
