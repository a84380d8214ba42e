import type {
  CredentialBudgetFact,
  ForgeFacts,
  ForgeJobFact,
  ForgeRunnerFact,
  Listing,
} from '../../domain/snapshot/index.ts'
import type { Instant } from '../../domain/time.ts'
import type { ForgeFactsOrder, ForgeFactsRead } from '../../ports/forge-facts.ts'
import { mapBounded } from '../forge-http/index.ts'
import { attemptsOfRuns, logsOfFailed } from './attempts.ts'
import type { CallCount } from './call-count.ts'
import { type Coverage, type FactCalls, type Refused, wholeInstance } from './fact-calls.ts'
import { createReading, type FactRights, type Reading } from './reading.ts'

/** One reading of a forge. */
export interface FactsSource {
  readonly calls: FactCalls
  readonly count: CallCount
  readonly rights: FactRights
  readonly at: Instant
  readonly signal: AbortSignal
}

interface Part extends FactsSource {
  readonly reading: Reading
  readonly order: ForgeFactsOrder
  /** Asked once for all parts. */
  readonly coverage: () => Promise<Coverage>
}

/** Reads what the order asks for, the most important first: what is above the bound of calls is unread. */
export async function readFacts(order: ForgeFactsOrder, source: FactsSource): Promise<ForgeFactsRead> {
  const { calls, count, at } = source
  const reading = createReading(source.rights, source.signal)
  const part: Part = { ...source, reading, order, coverage: once(() => calls.coverage()) }
  const budgets = each(await reading.part('budgets', 'budgets of credentials', () => calls.budgets()))
  leaveHalf(count, budgets)
  const named = await namedJobs(part)
  const ofRuns = await attemptsOfRuns(part, named.jobs)
  const logs = [...named.logs, ...(await logsOfFailed(part, ofRuns))]
  const runners = await runnersOf(part)
  const ofRepositories = await jobsByRepository(part)
  // A named job has annotations, and replaces itself in a list.
  const jobs = new Map([...ofRepositories, ...ofRuns, ...named.jobs].map((job) => [job.jobId, job]))
  const listed = <T>(kind: keyof ForgeFacts, items: readonly T[]): Listing<T> => {
    return { source: 'forge', at, items, unread: reading.unread[kind] }
  }
  return {
    facts: {
      budgets: listed('budgets', budgets),
      jobs: listed('jobs', [...jobs.values()]),
      logs: listed('logs', logs),
      runners: listed('runners', runners),
    },
    requests: count.requests(),
    bytes: count.bytes(),
  }
}

/** The other half of what is left is for the jobs of the same account. */
function leaveHalf(count: CallCount, budgets: readonly CredentialBudgetFact[]): void {
  for (const { remaining } of budgets) {
    if (remaining === null) continue
    const why = `the credential has ${remaining} calls left, and half of them are for its jobs`
    count.atMost(Math.floor(remaining / 2), why)
  }
}

/** Jobs with their annotations, and the logs of those that have one. */
async function namedJobs({ calls, reading, order }: Part) {
  const read = await mapBounded(order.jobs, async (ref) => {
    const what = `job ${ref.jobId} of ${ref.repository}`
    const job = await reading.part('jobs', what, () => calls.job(ref))
    const log = await reading.part('logs', `the log of ${what}`, () => calls.log(ref))
    return { job, log }
  })
  return { jobs: read.flatMap(({ job }) => job ?? []), logs: read.flatMap(({ log }) => log ?? []) }
}

/** The places that the credential covers; none where the forge does not say them: then they are unread. */
async function covered({ coverage, reading }: Part, kind: 'runners' | 'jobs'): Promise<readonly string[]> {
  const found = await reading.part(kind, `${kind} of everything that is covered`, coverage)
  const of = kind === 'jobs' ? found?.repositories : found?.runnerScopes
  noteRefused(reading, kind, of?.refused ?? [])
  return of?.places ?? []
}

function noteRefused({ unread }: Reading, kind: 'runners' | 'jobs', refused: readonly Refused[]): void {
  unread[kind].push(
    ...refused.map(({ place, why }) => ({ what: `${kind} of ${nameOf(place)}`, why, needs: null })),
  )
}

async function runnersOf(part: Part): Promise<readonly ForgeRunnerFact[]> {
  const { calls, reading, order } = part
  const others = order.isCoveredWanted ? await covered(part, 'runners') : []
  const read = await mapBounded(distinct([...order.runnerScopes, ...others]), (scope) =>
    reading.part('runners', `runners of ${nameOf(scope)}`, () => calls.runners(scope)),
  )
  return read.flatMap(each)
}

async function jobsByRepository(part: Part): Promise<readonly ForgeJobFact[]> {
  const { calls, count, reading, order } = part
  const skipped: string[] = []
  const repositories = order.repositories ?? (await covered(part, 'jobs'))
  const read = await mapBounded(firstOfScopes(repositories, order), async (repository) => {
    if (!count.isUsedUp())
      return reading.part('jobs', `jobs of ${nameOf(repository)}`, () => calls.jobs(repository, order.since))
    skipped.push(repository)
    return null
  })
  const [first] = skipped
  if (first !== undefined) {
    const noun = skipped.length === 1 ? 'repository' : 'repositories'
    const what = `jobs of ${skipped.length} ${noun}, ${nameOf(first)} first`
    reading.unread.jobs.push({ what, why: count.bound(), needs: null })
  }
  noteRefused(
    reading,
    'jobs',
    read.flatMap((one) => one?.refused ?? []),
  )
  return read.flatMap((one) => one?.jobs ?? [])
}

/** Repositories whose runners are asked for come first. */
function firstOfScopes(all: readonly string[], { runnerScopes }: ForgeFactsOrder): readonly string[] {
  const scopes = new Set(runnerScopes.map((scope) => scope.toLowerCase()))
  const isFirst = (name: string) =>
    scopes.has(name.toLowerCase()) || scopes.has(name.split('/', 1)[0]?.toLowerCase() ?? '')
  return [...all.filter(isFirst), ...all.filter((name) => !isFirst(name))]
}

/** The forge compares names without case. */
function distinct(scopes: readonly string[]): readonly string[] {
  return [...new Map(scopes.toReversed().map((scope) => [scope.toLowerCase(), scope])).values()].toReversed()
}

function nameOf(place: string): string {
  return place === wholeInstance ? 'the whole instance' : place
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | null = null
  return () => {
    reading ??= read()
    return reading
  }
}

function each<T>(items: readonly T[] | null): readonly T[] {
  return items ?? []
}
