import { type Incident, type IncidentKind, incidentTable } from '../incident/index.ts'
import { isOpen, isSameName, type Job } from '../job/index.ts'

/** Why no runner of ours can be given a queued job, whatever we start, and what a person can do about it. */
export interface Reach {
  readonly kind: 'label-without-pool' | 'installation-not-served' | IncidentKind
  readonly sentence: string
  readonly todo: string
}

type ReachJob = Pick<Job, 'state' | 'pool' | 'labels' | 'installation' | 'repository' | 'owner'>

/**
 * Why no runner can reach a queued job; null where one can, or where the job does not wait. A job of an installation that is
 * not served is out of reach. Of several incidents the one with the narrowest scope is reported.
 */
export function reachOf(job: ReachJob, incidents: readonly Incident[], served?: string): Reach | null {
  if (served !== undefined && job.installation !== served && isOpen(job))
    return notServed(job.installation, served)
  if (job.state !== 'queued') return null
  if (job.pool === null) {
    return {
      kind: 'label-without-pool',
      sentence: `No pool serves its labels (${job.labels.join(', ')}).`,
      todo: 'Give a pool these labels (pools in the settings), or correct runs-on in the workflow. A pool that has them may not take the repository (repositories, publicRepositories, forks): see holdfast why.',
    }
  }
  const incident =
    incidents.find(
      (open) => open.scope === 'repository' && isSameName(open.key, job.repository) && holds(open, job),
    ) ??
    incidents.find((open) => open.scope === 'account' && isSameName(open.key, job.owner) && holds(open, job))
  if (incident === undefined) return null
  const { title, todo } = incidentTable[incident.kind]
  const reported = incident.reason === '' ? '' : ` The forge says: ${incident.reason}`
  return { kind: incident.kind, sentence: `${title}${reported}`, todo }
}

function notServed(installation: string, served: string): Reach {
  return {
    kind: 'installation-not-served',
    sentence: `It is of the forge installation ${installation}, which is not served now: ${served} is.`,
    todo: `Serve it again (forge.kind and forge.url; forge.installation where the server moved), or close all of its jobs: holdfast jobs retire --installation ${installation}`,
  }
}

function holds(incident: Incident, job: ReachJob): boolean {
  return incident.closedAt === null && incident.installation === job.installation
}
