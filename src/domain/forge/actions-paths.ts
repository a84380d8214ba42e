import type { ForgePath } from './kind.ts'

/** A job's page in all forms that GitHub and the forges with its Actions have used; those may be served below a path. */
const jobPage =
  /^\/(?:[^/]+\/)*?([\w.-]+\/[\w.-]+)(?:\/actions)?\/runs\/(\d{1,15})(?:\/attempts\/\d{1,9})?\/jobs?\/(\d{1,15})\/?$/
const jobApi = /\/repos\/([\w.-]+\/[\w.-]+)\/actions\/jobs\/(\d{1,15})\/?$/
const runPage = /^\/(?:[^/]+\/)*?([\w.-]+\/[\w.-]+)\/actions\/runs\/(\d{1,15})(?:\/attempts\/\d{1,9})?\/?$/

/** The paths of Actions, which other forges have taken over from GitHub. */
export function parseActionsPath(pathname: string): ForgePath | null {
  const page = jobPage.exec(pathname)
  if (page !== null) {
    const [, repository = '', run, job] = page
    return { kind: 'job', repository, runId: Number(run), forgeJobId: Number(job) }
  }
  const api = jobApi.exec(pathname)
  if (api !== null) return { kind: 'job', repository: api[1] ?? '', runId: null, forgeJobId: Number(api[2]) }
  const run = runPage.exec(pathname)
  return run === null ? null : { kind: 'run', repository: run[1] ?? '', runId: Number(run[2]) }
}
