import type { Attempt } from '../../../../domain/attempt/index.ts'
import { type Bound, type Change, type Known, losesJob, planWord } from '../../../../domain/binding/index.ts'
import { HoldfastError } from '../../../../domain/errors/index.ts'
import type { Job } from '../../../../domain/job/index.ts'
import type { Runner } from '../../../../domain/runner/index.ts'
import type { Db } from '../../connection/index.ts'
import { carryOut, type Locked, lockAttempts, lockJobs, lockRunners, RowsMoved } from '../carry-out/index.ts'
import type { LedgerContext } from '../context.ts'
import { type Around, findAround } from './find-around.ts'
import type { Said } from './said.ts'

/** What a word came to. */
export interface Effect {
  readonly isChanged: boolean
  readonly isLost?: true
}

/**
 * Plans and carries out what words, all of one cause, change of known jobs and of what is bound to them; for each
 * what that was. A word that concerns the same rows as one before it is left out: it has to wait for
 * what the other changes.
 */
export async function applyWords(
  tx: Db,
  ledger: LedgerContext,
  batch: readonly Said[],
): Promise<Map<Said, Effect>> {
  const [first] = batch
  if (first === undefined) return new Map()
  const around = apart(await findAround(tx, batch))
  // While these are locked nobody binds or unbinds any of them; what was bound before the locks shows behind them.
  const [locked, now] = await Promise.all([
    lock(tx, [...around.values()]),
    findAround(tx, [...around.keys()]),
  ])
  const plans = [...around].map(([said, before]) => {
    const after = now.get(said)
    if (after === undefined || !isSameRows(before, after)) {
      throw new RowsMoved(`what is bound to forge job ${said.word.job.forgeJobId}`)
    }
    const context = { adoptHandle: ledger.newHandle(), runningCheckMs: ledger.runningCheckMs }
    return [said, planWord(knownOf(locked, after), said.word, context)] as const
  })
  const changes = plans.flatMap(([, plan]) => plan)
  if (changes.length > 0) await carryOut(tx, locked, changes, first.cause)
  return new Map(plans.map(([said, plan]) => [said, effectOf(plan)]))
}

function effectOf(plan: readonly Change[]): Effect {
  return { isChanged: plan.length > 0, ...(losesJob(plan) && { isLost: true }) }
}

/** Those that share no row with one before them. */
function apart(around: ReadonlyMap<Said, Around>): Map<Said, Around> {
  const taken = new Set<string>()
  return new Map(
    [...around].filter(([, one]) => {
      const rows = [
        ...jobsOf(one).map((id) => `job ${id}`),
        ...attemptsOf(one).map((id) => `attempt ${id}`),
        ...runnersOf(one).map((id) => `runner ${id}`),
      ]
      if (rows.some((row) => taken.has(row))) return false
      for (const row of rows) taken.add(row)
      return true
    }),
  )
}

async function lock(tx: Db, around: readonly Around[]): Promise<Locked> {
  const attemptIds = around.flatMap(attemptsOf)
  const isBound = attemptIds.length > 0
  const [jobs, attempts, runners] = await Promise.all([
    lockJobs(tx, around.flatMap(jobsOf)),
    isBound ? lockAttempts(tx, attemptIds) : new Map<number, Attempt>(),
    isBound ? lockRunners(tx, around.flatMap(runnersOf)) : new Map<number, Runner>(),
  ])
  return { rows: { jobs, attempts, runners }, now: around[0]?.now ?? 0 }
}

function jobsOf(around: Around): number[] {
  return present(around.job, around.of_runner_job)
}

function attemptsOf(around: Around): number[] {
  return present(around.of_job, around.of_runner)
}

function runnersOf(around: Around): number[] {
  return present(around.of_job_runner, around.of_runner_runner)
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
  const bound = (attemptId: number | null, death: Bound['death']): Bound | null => {
    if (attemptId === null) return null
    const attempt = held<Attempt>(rows.attempts, attemptId)
    const job = held<Job>(rows.jobs, attempt.jobId)
    return { attempt, job, runner: held<Runner>(rows.runners, attempt.runnerId), death }
  }
  return {
    job: held<Job>(rows.jobs, around.job),
    ofJob: bound(around.of_job, around.of_job_death),
    ofRunner: bound(around.of_runner, around.of_runner_death),
    runnerHasOpenAttempt: around.runner_has_open_attempt,
  }
}

function held<T>(rows: ReadonlyMap<number, T>, id: number): T {
  const row = rows.get(id)
  if (row === undefined)
    throw new HoldfastError('E_BUG', { what: `row ${id} was found and could not be locked` })
  return row
}
