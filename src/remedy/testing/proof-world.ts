import { HoldfastError } from '../../domain/errors/index.ts'
import { retryProof } from '../../domain/remedy/index.ts'
import type { ForgeJobFact } from '../../domain/snapshot/index.ts'
import { forgeJobFact, minuteMs } from '../../domain/snapshot/testing/facts.ts'
import { applyPlan, type ProofSources, planRetryProof, retryProofTreatment } from '../index.ts'
import { RemedyWorld } from './world.ts'

const commit = 'a'.repeat(40)
const newerCommit = 'b'.repeat(40)
const repository = 'acme/platform'
const never = new AbortController().signal

/** The log of a job whose builder was killed close to its limit, without a kill that the kernel counted. */
export const transientLog = [
  '##[group]Run nix build .#runner-dashboard',
  'error: builder for dashboard.drv failed due to signal 9 (Killed)',
  'memory.events: low 0 high 0 max 12 oom 0 oom_kill 0',
  'memory.peak: 8589934592',
  'memory.max: 8589934592',
  '##[error]Process completed with exit code 1.',
].join('\n')

/** For tests: one run of a platform proof at a forge, in virtual time; anybody may change it between two calls. */
export class ProofWorld {
  readonly base = new RemedyWorld()
  jobs: ForgeJobFact[]
  isRunOver = true
  newerSha: string | null = null
  log: string | null = transientLog
  /** How the next attempt ends, and after how many looks. */
  next: { conclusion: string; looks: number } = { conclusion: 'success', looks: 3 }
  /** Reruns that took effect: the attempt that they followed, and what was true then. */
  readonly acts: {
    readonly after: number
    readonly tick: number
    readonly at: number
    readonly isSuperseded: boolean
  }[] = []
  /** Ticks of the last reads, by what was read. */
  readonly reads = new Map<string, number>()
  /** Ticks of changes. */
  readonly changes = new Map<string, number>()

  constructor() {
    const { now } = this.base
    this.jobs = [
      forgeJobFact(87, {
        repository,
        runId: 31,
        runAttempt: 1,
        name: 'Prove linux contract',
        status: 'completed',
        conclusion: 'failure',
        headSha: commit,
        runnerName: 'linux-1',
        startedAt: now - 20 * minuteMs,
        completedAt: now - 10 * minuteMs,
        steps: null,
        annotations: null,
      }),
    ]
  }

  get newest(): number {
    return Math.max(...this.jobs.map(({ runAttempt }) => runAttempt ?? 0))
  }

  change(job: Partial<ForgeJobFact>): void {
    this.jobs = this.jobs.map((each) => (each.jobId === 87 ? { ...each, ...job } : each))
  }

  supersede(): void {
    this.newerSha = newerCommit
    this.#note('superseded')
  }

  /** A person, or we, run it again. */
  rerun(conclusion: string | null = null): void {
    const [first] = this.jobs
    if (first === undefined) return
    const attempt = this.newest + 1
    const over =
      conclusion === null ? {} : { conclusion, status: 'completed', completedAt: this.base.now + 1 }
    this.jobs = [
      ...this.jobs,
      {
        ...first,
        jobId: 87 + attempt,
        runAttempt: attempt,
        status: 'queued',
        conclusion: null,
        runnerName: `linux-${attempt}`,
        startedAt: this.base.now,
        completedAt: null,
        ...over,
      },
    ]
    this.isRunOver = conclusion !== null
    this.#note('rerun')
  }

  readonly sources: ProofSources = {
    installation: 'test',
    forge: {
      readJobDetail: async (_, id) => {
        this.#asked('job')
        return this.jobs.find(({ jobId }) => jobId === id) ?? null
      },
      readRunJobs: async () => {
        this.#asked('jobs')
        this.#progress()
        return this.jobs
      },
      readRunHead: async () => {
        this.#asked('head')
        return { isOver: this.isRunOver, headSha: commit, branch: 'main', newerSha: this.newerSha }
      },
      readLog: async () => {
        this.#asked('log')
        return this.log
      },
      rerunJob: async (_, id) => {
        this.#step()
        const lost = this.base.loseNextAnswer
        this.base.loseNextAnswer = null
        const unavailable = new HoldfastError('E_FORGE_UNAVAILABLE', { call: 'POST rerun', why: 'no answer' })
        if (lost === 'before') throw unavailable
        const job = this.jobs.find(({ jobId }) => jobId === id)
        // As GitHub does: only of the newest attempt, and only of a run that is over.
        if (job?.runAttempt !== this.newest || !this.isRunOver)
          return { kind: 'refused', reason: '403 This workflow is already running' }
        const { tick, now } = this.base
        this.acts.push({ after: this.newest, tick, at: now, isSuperseded: this.newerSha !== null })
        this.reads.set('head at act', this.reads.get('head') ?? 0)
        this.rerun()
        if (lost === 'after') throw unavailable
        return { kind: 'done' }
      },
    },
  }

  plan(declared = [{ repository, job: 'Prove linux contract' }], remedy = retryProof) {
    const scope = { repository, jobId: 87, declared, waitMs: 60 * minuteMs }
    return planRetryProof(remedy, scope, { ...this.base.deps(), ...this.sources }, never)
  }

  apply({ plan }: Awaited<ReturnType<ProofWorld['plan']>>, remedy = retryProof) {
    const deps = this.base.deps()
    return applyPlan(retryProofTreatment(remedy, { ...deps, ...this.sources }), plan, deps, never)
  }

  #step(): void {
    this.base.touch()
    if (this.base.forgeFailures === 0) return
    this.base.forgeFailures -= 1
    throw new Error('the forge does not answer')
  }

  #asked(what: string): void {
    this.#step()
    this.reads.set(what, this.base.tick)
  }

  #note(what: string): void {
    if (!this.changes.has(what)) this.changes.set(what, this.base.tick)
  }

  /** An attempt of ours ends after some looks at it. */
  #progress(): void {
    if (this.acts.length === 0 || this.isRunOver) return
    this.next.looks -= 1
    if (this.next.looks > 0) return
    const last = this.newest
    const { conclusion } = this.next
    this.jobs = this.jobs.map((each) =>
      each.runAttempt === last
        ? { ...each, status: 'completed', conclusion, completedAt: this.base.now + 1 }
        : each,
    )
    this.isRunOver = true
  }
}
