import type { QuotaFact, RunnerFact } from '../../../snapshot/index.ts'
import type { Finding } from '../../finding.ts'
import { evidenceOf, subjectOf } from '../../judging.ts'
import { startGraceMs } from '../bounds.ts'
import { counted, found, logged, namesOf, type Ruling, raising } from '../found.ts'
import { podStanding } from '../pod-end.ts'
import { ageMs, type FleetView, type SetView } from '../view.ts'

/** Runners that a quota refuses a pod: up to 0.12 they are Failed, later they have no phase and only the log says why. */
export function judgeQuotas(fleet: FleetView): Ruling {
  const full = Map.groupBy(fleet.snapshot.cluster.quotas.items.filter(isFull), ({ namespace }) => namespace)
  return {
    findings: fleet.sets.flatMap((view) => judgeSet(view, full.get(view.set.namespace) ?? [], fleet) ?? []),
  }
}

function isFull({ hard, used }: QuotaFact): boolean {
  return Object.entries(hard).some(([resource, limit]) => (used[resource] ?? 0) >= limit && limit > 0)
}

function judgeSet({ set, holders }: SetView, full: readonly QuotaFact[], fleet: FleetView): Finding | null {
  const { cluster } = fleet.snapshot
  const failed = holders.filter(
    ({ phase, message }) => phase === 'Failed' && message?.includes('exceeded quota'),
  )
  const podless = holders.filter((runner) => runner.phase === null && podStanding(runner, fleet) === 'gone')
  const logs = podless
    .map((runner) => fleet.logs.trace('quota-exceeded', runner))
    .filter((each) => each !== null)
  const fits = full.length > 0 && podless.some((runner) => ageMs(runner, fleet.now) >= startGraceMs)
  if (failed.length === 0 && logs.length === 0 && !fits) return null
  const refused: readonly RunnerFact[] = [...failed, ...podless]
  return found({
    class: 'quota-exceeded',
    severity: 'warning',
    subject: subjectOf('scale-set', set),
    confidence: failed.length > 0 || logs.length > 0 ? 'proven' : 'likely',
    summary: `A resource quota refuses the pods of ${counted(refused.length, 'runner')} of ${set.name}.`,
    evidence: [
      podless.length === 0
        ? null
        : evidenceOf(cluster.runners, `without a phase and without a pod: ${namesOf(podless)}`),
      failed[0] === undefined ? null : evidenceOf(cluster.runners, `${failed[0].name}: ${failed[0].message}`),
      logged(logs[0] ?? null),
      ...full.map(({ name }) => evidenceOf(cluster.quotas, `quota ${name} of ${set.namespace} is full`)),
    ],
    next: raising(
      failed.length === 0
        ? 'Raise the quota or lower the maximum of runners, in their own source: ARC tries again every 30 seconds.'
        : 'Raise the quota or lower the maximum of runners, in their own source; then delete the Failed EphemeralRunners: this release never tries them again.',
    ),
  })
}
