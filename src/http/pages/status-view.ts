import {
  type ApiDeath,
  type ApiIncident,
  type ApiRunner,
  type DeathList,
  incidentView,
  iso,
  type JobSummary,
  jobSummary,
  lastDeath,
  runnerView,
} from '../../api/index.ts'
import type { Job, JobState } from '../../domain/job/index.ts'
import { type DeathsLedger, listDeaths } from '../../explain/index.ts'
import type { Ledger } from '../../ports/ledger.ts'

/** What the status page shows, read from the ledger at one time. */
export interface StatusView {
  readonly at: string
  /** Open ones alone. */
  readonly incidents: readonly ApiIncident[]
  /** Those that did not end as they should. */
  readonly deaths: DeathList
  readonly waiting: readonly JobSummary[]
  readonly running: readonly JobSummary[]
  readonly ended: readonly { readonly job: JobSummary; readonly death: ApiDeath | null }[]
  readonly runners: readonly ApiRunner[]
}

/** Rows of one table; the command line shows more. */
export const rowsMax = 50
const endedMax = 15
const endedRunnersMax = 8
const deathsShown = { since: 86_400_000, all: false, limit: 15 }

const waitingStates = ['queued', 'claimed', 'delivered', 'registered'] as const satisfies JobState[]
const endStates = ['completed', 'cancelled', 'lost'] as const satisfies JobState[]

type Reads = DeathsLedger & Pick<Ledger, 'jobs' | 'jobFile' | 'runners'>

export async function readStatus(ledger: Reads, served: string): Promise<StatusView> {
  const [now, incidents, deaths, waiting, running, ended, runners] = await Promise.all([
    ledger.now(),
    ledger.incidents(0),
    listDeaths(deathsShown, ledger),
    ledger.jobs({ states: waitingStates, limit: rowsMax }),
    ledger.jobs({ states: ['running'], limit: rowsMax }),
    ledger.jobs({ states: endStates, limit: endedMax }),
    ledger.runners(endedRunnersMax),
  ])
  const summary = (job: Job): JobSummary => jobSummary(job, incidents, served)
  return {
    at: iso(now),
    incidents: incidents.map(incidentView),
    deaths,
    waiting: waiting.map(summary).toReversed(),
    running: running.map(summary).toReversed(),
    ended: await Promise.all(
      ended.map(async (row) => ({ job: summary(row), death: await deathOf(ledger, row) })),
    ),
    runners: runners.map(runnerView),
  }
}

/** Asked only for what did not end well: that of a success is clean, and its file need not be read. */
async function deathOf(
  ledger: Reads,
  job: { readonly id: number; readonly conclusion: string | null },
): Promise<ApiDeath | null> {
  if (job.conclusion === 'success') return null
  const file = await ledger.jobFile(job.id)
  return file === null ? null : lastDeath(file)
}
