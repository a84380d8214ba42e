import { judgeJobFailure } from '../../domain/job-failure/index.ts'
import { type ProofReading, type Remedy, type RetryProofFacts, ranOn } from '../../domain/remedy/index.ts'
import { compareAttempts } from '../../domain/run-attempt/index.ts'
import { type ForgeJobFact, keyOf } from '../../domain/snapshot/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Forge } from '../../ports/forge.ts'
import type { Trail } from '../../ports/trail.ts'
import type { Treatment } from '../treatment.ts'

/** A call for each look; a build takes minutes. */
const lookEveryMs = 15_000

/** The forge as this remedy needs it, in the name of one installation. */
export interface ProofSources {
  readonly forge: Pick<Forge, 'readJobDetail' | 'readRunJobs' | 'readRunHead' | 'readLog' | 'rerunJob'>
  readonly installation: string
}

type Deps = ProofSources & { readonly clock: Clock; readonly trail: Pick<Trail, 'rows'> }
type Target = RetryProofFacts['plan']['objects'][number]

/** `fix retry-proof` at a forge: one job is run again, once. */
export function retryProofTreatment(remedy: Remedy<RetryProofFacts>, deps: Deps): Treatment<RetryProofFacts> {
  const { forge, installation, trail } = deps
  const scopeOf = ({ repository }: Pick<Target, 'repository'>) => ({ installation, repository })
  const jobsOf = (planned: Target, signal: AbortSignal) =>
    forge.readRunJobs(scopeOf(planned), planned.runId, signal)
  return {
    remedy,
    async readFresh(planned, signal) {
      const rows = await trail.rows()
      const subject = `${planned.kind} ${keyOf(planned)}`
      const isAsked = (row: (typeof rows)[number]) =>
        row.remedy === remedy.name && row.step === 're-checked' && row.subject === subject
      const reading = await readProof(planned, deps, signal)
      return { sources: { forge: reading.at }, reading, askedBefore: rows.filter(isAsked).length }
    },
    async act(planned, signal) {
      const answer = await forge.rerunJob(scopeOf(planned), planned.jobId, signal).catch(() => null)
      // No answer may be a yes: it is not asked for again.
      if (answer === null) return 'unknown'
      if (answer.kind !== 'done') throw new Error(answer.reason)
      return 'done'
    },
    async isDone(planned, signal) {
      const jobs = await jobsOf(planned, signal)
      const job = jobs.find(({ jobId }) => jobId === planned.jobId)
      return job !== undefined && ranOn(planned.headSha, job, jobs).length > 1
    },
    readAfter: async (planned, signal) => ({ jobs: await jobsOf(planned, signal) }),
    ends: ({ objects, scope: { waitMs } }) =>
      objects.map((planned) => ({
        subject: keyOf(planned),
        read: async (signal) => ({ comparison: await resultOf(planned, waitMs, jobsOf, deps, signal) }),
      })),
    texts: {
      toDo: ({ jobId, attempt, headSha }) =>
        `job ${jobId} to be run again now: attempt ${attempt} of ${headSha}, once`,
      done: 'the forge took the rerun on',
      verified: 'a new attempt has begun on the same commit',
      proven:
        'the second attempt passed on the same commit: the pass is the result, and the first failure is kept as evidence',
    },
  }
}

/** All that the forge says about a job; its log only where it failed. */
export async function readProof(
  { repository, jobId }: Pick<Target, 'repository' | 'jobId'>,
  { forge, installation, clock }: ProofSources & { readonly clock: Pick<Clock, 'now'> },
  signal: AbortSignal,
): Promise<ProofReading> {
  const at = clock.now()
  const scope = { installation, repository }
  const job = await forge.readJobDetail(scope, jobId, signal)
  if (job === null) return { at, job, jobs: [], head: null, verdict: null }
  const hasFailed = job.status === 'completed' && job.conclusion === 'failure'
  const log = hasFailed ? await forge.readLog(scope, jobId, signal) : null
  const verdict = hasFailed ? judgeJobFailure({ job, log, runner: null }) : null
  const head = await forge.readRunHead(scope, job.runId, signal)
  return { at, job, jobs: await forge.readRunJobs(scope, job.runId, signal), head, verdict }
}

/** The attempts side by side, once the second is over or the time is up. A look that fails is made again. */
async function resultOf(
  planned: Target,
  waitMs: number,
  jobsOf: (planned: Target, signal: AbortSignal) => Promise<readonly ForgeJobFact[]>,
  { clock }: Pick<Deps, 'clock'>,
  signal: AbortSignal,
) {
  const until = clock.now() + waitMs
  for (;;) {
    const jobs = await jobsOf(planned, signal).catch(() => [])
    const first = jobs.find(({ jobId }) => jobId === planned.jobId)
    const known = { nodeOf: () => null, verdictOf: () => null }
    const comparison = first === undefined ? null : compareAttempts(first, jobs, known)
    const isOpen = comparison === null || comparison.outcome === 'not-over'
    if (!isOpen || clock.now() >= until || signal.aborted) return comparison
    await clock.sleep(lookEveryMs, signal).catch(() => {}) // an interrupted wait ends with the result there is
  }
}
