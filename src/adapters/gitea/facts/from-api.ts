import type { CredentialBudgetFact } from '../../../domain/snapshot/index.ts'
import type { ForgeFactsReader } from '../../../ports/forge-facts.ts'
import type { Log } from '../../../ports/log.ts'
import {
  type CallCount,
  createCallCount,
  type FactCalls,
  type FactRights,
  maskedLog,
  readFacts,
} from '../../forge-facts/index.ts'
import { type Call, type CallOptions, createCall } from '../call.ts'
import { createGiteaForge } from '../forge.ts'
import { createNumbers } from '../numbers.ts'
import { createVersions } from '../version.ts'
import { readCoverage } from './coverage.ts'
import { readJobs } from './jobs.ts'
import { readRunners } from './runners.ts'

/** Scopes that the token needs for a part. */
const rights: FactRights = {
  budgets: null,
  runners: 'write:repository, write:organization or write:admin, by where the runners are registered',
  jobs: 'write:repository and read:user, or write:admin',
  logs: 'write:repository',
}

/** An attempt that ended before any runner had the job is counted by the ledger alone, which is not asked here. */
const endedBefore = async (): Promise<boolean> => false

/** Jobs of a snapshot name no installation. */
const installation = 'snapshot'
const timeoutMs = 15_000

export interface GiteaFactsOptions extends Omit<CallOptions, 'timeoutMs'> {
  readonly log: Log
}

/** Facts of Gitea by its API: bounded, counted, and first those that were named. */
export function createGiteaFacts(options: GiteaFactsOptions): ForgeFactsReader {
  return {
    host: new URL(options.url).host,
    readForgeFacts(order, signal) {
      const at = options.clock.now()
      const count = createCallCount(order.callsMax)
      const call = counted(createCall({ ...options, timeoutMs }), count)
      return readFacts(order, { calls: callsOf(options, call, signal), count, rights, at, signal })
    },
  }
}

function callsOf({ url, clock, log }: GiteaFactsOptions, call: Call, signal: AbortSignal): FactCalls {
  const versions = createVersions(call, log)
  const numbers = createNumbers(endedBefore, () => versions.current()?.counting ?? null)
  const forge = createGiteaForge({ url, call, installation, scope: 'repository', numbers, versions, clock })
  const jobs = { call, numbers, versions, installation, clock }
  return {
    budgets: async (): Promise<readonly CredentialBudgetFact[]> => [
      {
        credential: 'settings',
        kind: 'personal-token',
        limit: null,
        remaining: null,
        resetAt: null,
        at: clock.now(),
      },
    ],
    job: ({ repository, jobId }) => forge.readJobDetail({ installation, repository }, jobId, signal),
    async log(ref) {
      const log = await forge.readLog({ installation, repository: ref.repository }, ref.jobId, signal)
      return log === null ? null : maskedLog(log, ref)
    },
    jobsOfRun: (repository, runId) => forge.readRunJobs({ installation, repository }, runId, signal),
    runners: (scope) => readRunners(call, scope, signal),
    jobs: (repository, since) => readJobs(jobs, repository, since, signal),
    coverage: () => readCoverage(call, signal),
  }
}

function counted(call: Call, count: CallCount): Call {
  return {
    ...call,
    async rest(method, path, signal, asking) {
      count.spend(`${method} ${path.split('?')[0]}`)
      const answer = await call.rest(method, path, signal, asking)
      count.answered(Buffer.byteLength(answer.text))
      return answer
    },
  }
}
