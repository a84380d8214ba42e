import { isSameName, type Job } from '../../../src/domain/job/index.ts'
import { isLive, type Runner } from '../../../src/domain/runner/index.ts'
import type { JobFilter, Ledger, RunnerFilter } from '../../../src/ports/ledger.ts'
import { filter, openAttemptOfRunner, type RowName, type State } from './state.ts'
import { isUnreadable, unreadableError } from './unreadable.ts'

/** Jobs that are not archived, newest first. */
export function jobs(
  state: State,
  { states, repository, limit }: JobFilter,
): Awaited<ReturnType<Ledger['jobs']>> {
  const isStrange = ({ id }: Job) => isUnreadable(state, 'job', id)
  const wanted = filter(
    state.jobs,
    (job) => repository === undefined || isSameName(job.repository, repository),
  )
  const newest = wanted.reverse()
  const page = newest.filter((job) => states === undefined || (states.includes(job.state) && !isStrange(job)))
  const shown = page.slice(0, limit)
  const strange = (states === undefined ? shown : newest.slice(0, limit)).filter(isStrange)
  return {
    rows: shown.filter((job) => !isStrange(job)),
    unreadable: strange.map(({ id, installation, repository: of, name, endedAt }) => ({
      ...{ id, installation, repository: of, name, isEnded: endedAt !== null },
      error: unreadableError({ kind: 'job', id }),
    })),
  }
}

/** Live runners in the order in which they came, then those that ended last. */
export function runners(
  state: State,
  endedLimit: number,
  wanted: RunnerFilter = {},
): Awaited<ReturnType<Ledger['runners']>> {
  const isStrange = ({ id }: Pick<RowName, 'id'>) => isUnreadable(state, 'runner', id)
  const all = filter(state.runners, (runner) => isWanted(runner, wanted, isStrange(runner)))
  const ended = all.filter((runner) => !isLive(runner))
  ended.sort((a, b) => (b.endedAt as number) - (a.endedAt as number) || b.id - a.id)
  const shown = [...all.filter(isLive), ...ended.slice(0, endedLimit)]
  return {
    rows: shown
      .filter((runner) => !isStrange(runner))
      .map((runner) => ({ ...runner, jobId: openAttemptOfRunner(state, runner.id)?.jobId ?? null })),
    unreadable: shown.filter(isStrange).map(({ id, name, pool, host, endedAt }) => ({
      ...{ id, name, pool, host, isEnded: endedAt !== null },
      error: unreadableError({ kind: 'runner', id }),
    })),
  }
}

/** In which state one is that cannot be read nobody can say. */
function isWanted(runner: Runner, { pool, states, host, names }: RunnerFilter, isStrange: boolean): boolean {
  return (
    (pool === undefined || runner.pool === pool) &&
    (states === undefined || isStrange || states.includes(runner.state)) &&
    (host === undefined || runner.host === host) &&
    (names === undefined || names.includes(runner.name))
  )
}
