import type { IncidentKind } from '../../src/domain/incident/index.ts'
import type { Instant } from '../../src/domain/time.ts'
import type { Forge } from '../../src/ports/forge.ts'
import type { Random } from './random.ts'

/** Something that a person did to a repository, and somebody put right again. */
interface Refusal {
  readonly repository: string
  readonly kind: IncidentKind
  readonly from: Instant
  readonly to: Instant
}

const kinds = [
  'runners-disabled',
  'repository-not-covered',
  'runner-group-excludes',
  'actions-disabled',
] as const
/** Only these are seen without a mint. */
const seenFromOutside: readonly IncidentKind[] = ['repository-not-covered', 'runner-group-excludes']
const retryMs = 2 * 60_000
const lastsMaxMs = 6 * 60_000

/** Refusals that only a person can lift, in some repositories for some minutes. */
export function withRefusals(
  forge: Forge,
  repositories: readonly string[],
  random: Random,
  begin: Instant,
  withinMs: number,
  now: () => Instant,
): Forge {
  const refusals: Refusal[] = repositories
    .filter(() => random.chance(0.25))
    .map((repository) => {
      const from = begin + random.between(0, withinMs - lastsMaxMs)
      return { repository, kind: random.pick(kinds), from, to: from + random.between(30_000, lastsMaxMs) }
    })
  const current = (repository: string) =>
    refusals.find((one) => one.repository === repository && one.from <= now() && now() < one.to)
  return {
    ...forge,
    async mint(request, signal) {
      const refusal = current(request.scope.repository)
      if (refusal === undefined || refusal.kind === 'runner-group-excludes')
        return forge.mint(request, signal)
      return {
        kind: 'refused',
        concerns: 'repository',
        reason: `403 ${refusal.kind}`,
        retryAfterMs: retryMs,
        incident: refusal.kind,
      }
    },
    async listJobs(asked, signal) {
      const listed = await forge.listJobs(asked, signal)
      const isHidden = (repository: string) => current(repository)?.kind === 'repository-not-covered'
      return {
        ...listed,
        events: listed.events.filter(({ job }) => !isHidden(job.repository)),
        read: listed.read.filter((repository) => !isHidden(repository)),
        notCovered: repositories.filter(isHidden),
      }
    },
    async unreachable(_installation, asked) {
      return asked.flatMap(({ repository }) => {
        const refusal = current(repository)
        if (refusal === undefined || !seenFromOutside.includes(refusal.kind)) return []
        return [{ repository, incident: refusal.kind, reason: 'simulated' }]
      })
    },
  }
}
