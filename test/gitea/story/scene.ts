import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import type { GiteaJob, People } from '../people.ts'
import type { GiteaServer } from '../server/index.ts'
import { compare, jobFile } from './compare.ts'
import type { Holdfast } from './holdfast.ts'
import type { HookLine } from './hook-line.ts'
import { until } from './until.ts'
import { type WorkflowName, workflowFile, workflows } from './workflows.ts'

export const repositories = ['acme/web', 'acme/api', 'acme/site'] as const
type Repository = (typeof repositories)[number]

/** A bound for events that should come soon, also on a slow machine. */
export const soonMs = 40_000
const settledWithinMs = 90_000

export interface Ground {
  readonly server: GiteaServer
  readonly people: People
  readonly holdfast: Holdfast
  readonly hooks: HookLine
  /** Where scripts write the pids of their runners. */
  readonly pids: string
}

/** The ground, and what the chapters of the story do on it. */
export interface Scene extends Ground {
  push(repository: Repository, name: WorkflowName): Promise<readonly GiteaJob[]>
  /** The job in the newest attempt of its run. */
  now(repository: Repository, job: GiteaJob): Promise<GiteaJob>
  /** Waits until the job's script has begun; gives its runner's pid. */
  runs(job: GiteaJob): Promise<number>
  ends(repository: Repository, job: GiteaJob, conclusion: string): Promise<void>
  /** Waits until the ledger says so; null: the job is open. */
  known(job: GiteaJob, outcome: string | null): Promise<void>
  log(repository: Repository, job: GiteaJob): Promise<string>
  /** Waits until Gitea and the ledger agree on every job, and none is open. */
  settled(): Promise<void>
}

export function createScene(ground: Ground): Scene {
  const { server, people, holdfast, pids } = ground
  const files = workflows(pids)
  let pushed = 0
  // Of the newest attempt: from 1.27 on each has an id of its own.
  const now = async (repository: Repository, { id, run_id, name }: GiteaJob) => {
    const same = (await people.jobs(repository)).filter((job) => job.run_id === run_id && job.name === name)
    const newest = Math.max(id, ...same.map((job) => job.id))
    return people.call<GiteaJob>('GET', `/repos/${repository}/actions/jobs/${newest}`)
  }
  return {
    ...ground,
    now,
    async push(repository, name) {
      pushed += 1
      const file = `${name}-${pushed}.yml`
      return people.push(repository, file, workflowFile(file, files[name]))
    },
    // At Gitea a job is in progress as soon as it was given away; the answer that gives it may still get lost.
    async runs({ name }) {
      const file = path.join(pids, `${name}.pid`)
      let pid = 0
      await until(`${name} runs`, soonMs, async () => {
        pid = Number(await readFile(file, 'utf8').catch(() => '0'))
        return pid > 1
      })
      await rm(file)
      return pid
    },
    ends: (repository, job, conclusion) =>
      until(`${job.name} of ${repository} ends as ${conclusion}`, soonMs, async () => {
        const { status, conclusion: so } = await now(repository, job)
        if (status === 'completed' && so !== conclusion) throw new Error(`${job.name} ended as ${so}`)
        return status === 'completed'
      }),
    known: (job, outcome) =>
      until(`${job.name} is ${outcome ?? 'open'} here`, soonMs, async () => {
        const file = await jobFile(holdfast.url, job.id)
        return file !== null && file.job.outcome === outcome
      }),
    async log(repository, job) {
      const headers = { authorization: `token ${people.token}` }
      const at = `${server.url}/api/v1/repos/${repository}/actions/jobs/${job.id}/logs`
      return (await fetch(at, { headers })).text()
    },
    async settled() {
      let open: readonly string[] = []
      await until('all settled', settledWithinMs, async () => {
        const { waiting, wrong } = await compare(people, holdfast.url, repositories)
        if (wrong.length > 0) throw new Error(wrong.join('; '))
        open = waiting
        return waiting.length === 0
      }).catch((error: unknown) => {
        throw open.length > 0 ? new Error(`still open: ${open.join('; ')}`) : error
      })
    },
  }
}
