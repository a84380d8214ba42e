import { describe } from 'vitest'
import { announced } from './announced.ts'
import { boundedActs } from './bounded-acts.ts'
import { budget } from './budget.ts'
import { claiming } from './claiming.ts'
import { deaths } from './deaths.ts'
import { decisions } from './decisions.ts'
import { deliveries } from './deliveries.ts'
import { dispatch } from './dispatch.ts'
import { ends } from './ends.ts'
import { enrolment } from './enrolment.ts'
import { failedStarts } from './failed-starts.ts'
import { hostSamples } from './host-samples.ts'
import { hosts } from './hosts.ts'
import { housekeeping } from './housekeeping.ts'
import { incidents } from './incidents.ts'
import { installations } from './installations.ts'
import { intake } from './intake.ts'
import { jobDeadlines } from './job-deadlines.ts'
import { jobEvents } from './job-events.ts'
import { jobLists } from './job-lists.ts'
import { jobsAtEnd } from './jobs-at-end.ts'
import { judgedLost } from './judged-lost.ts'
import type { MakeLedger } from './kit.ts'
import { mintFailures } from './mint-failures.ts'
import { pools } from './pools.ts'
import { published } from './published.ts'
import { rebinding } from './rebinding.ts'
import { recoveryQueries } from './recovery-queries.ts'
import { repositoryNames } from './repository-names.ts'
import { retiredPools } from './retired-pools.ts'
import { routingBack } from './routing-back.ts'
import { runnerFiles } from './runner-files.ts'
import { runnerLists } from './runner-lists.ts'
import { runners } from './runners.ts'
import { sealedEnds } from './sealed-ends.ts'
import { settledRuns } from './settled-runs.ts'
import { unreadable } from './unreadable.ts'
import { unusedRegistrations } from './unused-registrations.ts'
import { wakeUps } from './wake-ups.ts'

export type { MakeLedger } from './kit.ts'

/**
 * The contract of the ledger port, for every implementation. `make` gives an empty ledger for each test, in which
 * the installation `contractInstallation` is known; `close` frees what belongs to it.
 */
export function ledgerContract(name: string, make: MakeLedger): void {
  describe(`the ledger's contract: ${name}`, () => {
    for (const topic of topics) topic(make)
  })
}

const topics = [
  pools,
  published,
  retiredPools,
  routingBack,
  deliveries,
  intake,
  announced,
  repositoryNames,
  jobEvents,
  runners,
  runnerLists,
  jobLists,
  unreadable,
  runnerFiles,
  enrolment,
  failedStarts,
  claiming,
  dispatch,
  mintFailures,
  incidents,
  budget,
  rebinding,
  ends,
  jobsAtEnd,
  jobDeadlines,
  judgedLost,
  recoveryQueries,
  decisions,
  boundedActs,
  installations,
  hosts,
  settledRuns,
  unusedRegistrations,
  housekeeping,
  deaths,
  sealedEnds,
  hostSamples,
  wakeUps,
]
