import type { Context } from 'hono'
import type { Job, Reads, Repository, Run, RunStatus } from '../core/index.ts'
import { idParam } from './answers.ts'
import type { Engine } from './engine.ts'

/** The repository that a path names; null: there is none. */
export function repositoryAt({ core }: Engine, c: Context): Repository | null {
  return core.repository(repositoryName(c))
}

/** The run that a path names, or the attempt of it; null: there is none in this repository. */
export function runAt(reads: Reads, c: Context): (Run & RunStatus) | null {
  const id = idParam(c, 'id')
  const attempt = c.req.param('attempt') === undefined ? undefined : (idParam(c, 'attempt') ?? 0)
  const run = id === null ? null : reads.run(id, attempt)
  return run?.repository === repositoryName(c) ? run : null
}

/** The job that a path names; null: there is none in this repository. */
export function jobAt(reads: Reads, c: Context): Job | null {
  const id = idParam(c, 'id')
  const job = id === null ? null : reads.job(id)
  return job?.repository === repositoryName(c) ? job : null
}

function repositoryName(c: Context): string {
  return `${c.req.param('owner')}/${c.req.param('repo')}`
}
