import {
  type ApiDeath,
  type ApiIncident,
  type ApiRunner,
  type ApiUnreadableJob,
  type ApiUnreadableRunner,
  type DeathList,
  incidentView,
  iso,
  type JobSummary,
  jobSummary,
  lastDeath,
  unreadableJobView,
} from '../../api/index.ts'
import { isError } from '../../domain/errors/index.ts'
import type { Job, JobState } from '../../domain/job/index.ts'
import { type DeathsLedger, listDeaths } from '../../explain/index.ts'
import type { JobReader, RunnerReader, UnreadableJob } from '../../ports/ledger.ts'
import { listRunners } from '../request/list-runners.ts'

/** Data of the status page, read from the ledger at one time. */
export interface StatusView {
  readonly at: string
  /** Open incidents only. */
  readonly incidents: readonly ApiIncident[]
  /** Runners that did not end as they should. */
  readonly deaths: DeathList
  readonly waiting: readonly JobSummary[]
  readonly running: readonly JobSummary[]
  /** Totals, including entries without a row. */
  readonly totals: { readonly waiting: number; readonly running: number; readonly live: number }
  readonly ended: readonly { readonly job: JobSummary; readonly death: ApiDeath | null }[]
  readonly runners: readonly ApiRunner[]
  /** Rows written by a newer version, which this one cannot read. */
  readonly unreadable: {
    readonly jobs: readonly ApiUnreadableJob[]
    readonly runners: readonly ApiUnreadableRunner[]
  }
}

/** Rows of one table; the command line shows more. */
export const rowsMax = 50
/** Totals are counted up to this number. */
export const countedMax = 10_000
const endedMax = 15
const endedRunnersMax = 8
const deathsShown = { since: 86_400_000, all: false, limit: 15 }

const waitingStates = ['queued', 'claimed', 'delivered', 'registered'] as const satisfies JobState[]
const endStates = ['completed', 'cancelled', 'lost'] as const satisfies JobState[]

type Reads = DeathsLedger & JobReader & RunnerReader

export async function readStatus(ledger: Reads, served: string): Promise<StatusView> {
  const [now, incidents, deaths, waiting, running, ended, runners, ...counts] = await Promise.all([
    ledger.now(),
    ledger.incidents(0),
    listDeaths(deathsShown, ledger),
    ledger.jobs({ states: waitingStates, order: 'attention', limit: rowsMax }),
    ledger.jobs({ states: ['running'], order: 'attention', limit: rowsMax }),
    ledger.jobs({ states: endStates, limit: endedMax }),
    listRunners({ ended: endedRunnersMax, limit: rowsMax }, ledger),
    ledger.countJobs({ states: waitingStates }, countedMax),
    ledger.countJobs({ states: ['running'] }, countedMax),
  ])
  const summary = (job: Job): JobSummary => jobSummary(job, incidents, served)
  return {
    at: iso(now),
    incidents: incidents.map(incidentView),
    deaths,
    waiting: waiting.rows.map(summary),
    running: running.rows.map(summary),
    ended: await Promise.all(
      ended.rows.map(async (row) => ({ job: summary(row), death: await deathOf(ledger, row) })),
    ),
    totals: { waiting: counts[0], running: counts[1], live: runners.live },
    runners: runners.runners,
    unreadable: {
      jobs: once([waiting, running, ended].flatMap(({ unreadable }) => unreadable)).map(unreadableJobView),
      runners: runners.unreadable,
    },
  }
}

/** Removes duplicates: every query also returns the rows in states that this version does not know. */
function once(jobs: readonly UnreadableJob[]): readonly UnreadableJob[] {
  return [...new Map(jobs.map((job) => [job.id, job])).values()]
}

/**
 * Read only for jobs that did not succeed: the death of a success is clean, and its file need not be read. A file that
 * only a newer version can read must not fail the page.
 */
async function deathOf(
  ledger: Reads,
  job: { readonly id: number; readonly conclusion: string | null },
): Promise<ApiDeath | null> {
  if (job.conclusion === 'success') return null
  const file = await ledger.jobFile(job.id).catch((error: unknown) => {
    if (isError(error, 'E_LEDGER_ROW')) return null
    throw error
  })
  return file === null ? null : lastDeath(file)
}
