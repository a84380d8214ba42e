import type { ForgeFactsReader } from '../../../ports/forge-facts.ts'
import {
  type CallCount,
  type Coverage,
  createCallCount,
  type FactCalls,
  type FactRights,
  maskedLog,
  readFacts,
} from '../../forge-facts/index.ts'
import { readJobDetail, readLog, readRunJobs } from '../calls/jobs.ts'
import { ownerOf } from '../calls/paths.ts'
import { readRepositories } from '../calls/repositories.ts'
import type { Connection } from '../connection.ts'
import type { Call } from '../transport/call.ts'
import type { CallAs } from '../transport/call-as.ts'
import { readBudgets } from './budgets.ts'
import { readJobsOfRepository, readRunners } from './parts.ts'

/** Rights that a part needs, for an App and for a token. */
const rights: FactRights = {
  budgets: null,
  runners:
    'self-hosted runners: read (App, of the organisation), or the scope manage_runners:org or repo (token)',
  jobs: 'actions: read (App), or the scope repo (token)',
  logs: 'actions: read (App), or the scope repo (token)',
}

/** Facts of GitHub by its API: bounded, counted, and first those that were named. `host` is that of its web site. */
export function createGitHubFacts(connection: Connection, host: string): ForgeFactsReader {
  return {
    host,
    readForgeFacts(order, signal) {
      const at = connection.clock.now()
      const count = createCallCount(order.callsMax)
      return readFacts(order, { calls: callsOf(connection, count, signal), count, rights, at, signal })
    },
  }
}

function callsOf(connection: Connection, count: CallCount, signal: AbortSignal): FactCalls {
  const { clock, authority, wire } = connection
  const callAs = counted(connection.callAs, count)
  // Resyncs stop first when the budget runs low, and so do these.
  const callOf = (scope: string) => callAs({ kind: 'owner', owner: ownerOf(scope) }, 'resync')
  return {
    budgets: () => readBudgets(connection, callAs, signal),
    job: (ref) => readJobDetail(callOf(ref.repository), ref, ref.jobId, signal),
    async log(ref) {
      const { repository, jobId } = ref
      const log = await readLog(callOf(repository), repository, jobId, wire, signal)
      return log === null ? null : maskedLog(log, ref)
    },
    jobsOfRun: (repository, runId) =>
      readRunJobs(callOf(repository), { repository }, runId, clock.now(), signal),
    runners: (scope) => readRunners(callOf(scope), scope, signal),
    async jobs(repository, since) {
      const call = callOf(repository)
      return { jobs: await readJobsOfRepository(call, repository, since, clock.now(), signal), refused: [] }
    },
    async coverage(): Promise<Coverage> {
      const { covered, refused } = await readRepositories(callAs, authority, 'resync', signal)
      const names = covered.map(({ repository }) => repository)
      const owners = covered.filter(({ isOfPerson }) => !isOfPerson).map((each) => ownerOf(each.repository))
      const hidden = refused.map(({ item, refusal }) => ({ place: item.owner, why: refusal.reason }))
      return {
        repositories: { places: names, refused: hidden },
        runnerScopes: { places: [...new Set(owners), ...names], refused: hidden },
      }
    },
  }
}

function counted(callAs: CallAs, count: CallCount): CallAs {
  return (identity, purpose) => {
    const call: Call = callAs(identity, purpose)
    return async (method, path, signal, extras) => {
      count.spend(`${method} ${path.split('?')[0]}`)
      const answer = await call(method, path, signal, extras)
      count.answered(Number(answer.headers.get('content-length') ?? 0))
      return answer
    }
  }
}
