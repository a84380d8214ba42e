import { type IncidentKind, incidentTable } from '../domain/incident/index.ts'
import type { Unreachable } from '../ports/forge.ts'
import type { AuditDeps } from './audit.ts'

/** Incidents that the audit itself opens and closes; the others come from mints. */
const auditedKinds: readonly IncidentKind[] = ['repository-not-covered', 'runner-group-excludes']
/** Bounds one check (I10); other jobs follow when these have gone. */
const queuedJobsMax = 2_000
const repositoriesMax = 200

/**
 * Finds repositories with queued jobs that no runner of ours can serve. Their jobs are shown as such and held back until
 * the next check; those that can be reached again are released at once.
 */
export async function checkReach(
  deps: AuditDeps,
  holdMs: number,
  signal: AbortSignal,
): Promise<readonly Unreachable[]> {
  const { ledger, forge, installation } = deps
  const open = (await ledger.incidents(0)).filter(
    (incident) =>
      incident.closedAt === null &&
      incident.installation === installation &&
      incident.scope === 'repository' &&
      auditedKinds.includes(incident.kind),
  )
  const { rows: queued } = await ledger.jobs({ states: ['queued'], limit: queuedJobsMax })
  const ofQueue = queued.filter((job) => job.installation === installation && job.pool !== null)
  const repositories = [
    ...new Set([...open.map(({ key }) => key), ...ofQueue.map(({ repository }) => repository)]),
  ].slice(0, repositoriesMax)
  if (repositories.length === 0) return []
  const groupOf = new Map((await ledger.pools()).map(({ name, runnerGroup = null }) => [name, runnerGroup]))
  const groupsFor = (repository: string) => {
    const waiting = ofQueue.filter((job) => job.repository === repository)
    const named = new Set(waiting.map(({ pool }) => groupOf.get(pool ?? '') ?? null))
    return named.size === 0 ? [null] : [...named]
  }
  const scopes = repositories.map((repository) => ({ repository, runnerGroups: groupsFor(repository) }))
  const unreachable = await forge.unreachable(installation, scopes, signal)
  // A whole repository is held back: not where some of its jobs can be served.
  for (const each of unreachable) await raise(each, each.isInPart ? 0 : holdMs, deps)
  for (const { kind, scope, key } of open) {
    const isStill = unreachable.some(({ repository, incident }) => repository === key && incident === kind)
    if (isStill || !repositories.includes(key)) continue
    const lifted = await ledger.liftIncident({ kind, installation, scope, key })
    if (lifted === 'lifted')
      deps.log.info({ repository: key, incident: kind }, 'its jobs can be reached again')
  }
  return unreachable
}

async function raise(
  { repository, incident: kind, reason }: Unreachable,
  holdMs: number,
  { ledger, log, metrics, installation }: AuditDeps,
): Promise<void> {
  const incident = { kind, installation, scope: 'repository', key: repository, reason } as const
  if ((await ledger.raiseIncident(incident, holdMs)) !== 'opened') return
  const { title, todo } = incidentTable[kind]
  metrics.count('holdfast_incidents_total', { kind })
  log.error({ repository, reason, incident: kind, title, todo }, 'jobs wait that no runner of ours can reach')
}
