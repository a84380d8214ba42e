import { fail, type Gate, pass } from './gate.ts'
import type { ApprovalFacts, RecheckFacts, RemedyFacts } from './remedy.ts'

/** The gates of every approval. */
export const approvals: readonly Gate<ApprovalFacts>[] = [
  {
    name: 'plan-age',
    why: 'The facts of an old plan are those of another fleet.',
    judge: ({ plan: { plannedAt, expiresAt }, now, bounds }) => ({
      passed: now >= plannedAt && now <= expiresAt && now - plannedAt <= bounds.planAgeMaxMs,
      proof: `planned ${Math.floor((now - plannedAt) / 1_000)} s ago, good for ${bounds.planAgeMaxMs / 1_000} s`,
    }),
  },
  {
    name: 'plan-unused',
    why: 'One approval, one run: a plan is not applied again, also not the rest of it.',
    judge: ({ isUsed }) =>
      isUsed ? fail('the trail has a run of this plan') : pass('the trail has no run of it'),
  },
  {
    name: 'same-site',
    why: 'A plan of one cluster or machine says nothing about another.',
    judge: ({ plan, site }) => ({
      passed: plan.site === site,
      proof: `plan of ${plan.site}, connected to ${site}`,
    }),
  },
  {
    name: 'bound-of-run',
    why: 'A wrong judgement costs a bounded number of objects.',
    judge: ({ plan, bounds }) => ({
      passed: plan.objects.length > 0 && plan.objects.length <= bounds.objectsPerRunMax,
      proof: `${plan.objects.length} objects, at most ${bounds.objectsPerRunMax} in a run`,
    }),
  },
]

/** The re-checks of every remedy, around its own. */
export function rechecksAround<F extends RemedyFacts>(
  own: readonly Gate<RecheckFacts<F>>[],
): readonly Gate<RecheckFacts<F>>[] {
  return [planInTime, factsAfterPlan, ...own, bounds]
}

const planInTime: Gate<RecheckFacts<RemedyFacts>> = {
  name: 'plan-in-time',
  why: 'A run may take longer than its plan is good for.',
  judge: ({ now, plan }) => ({
    passed: now <= plan.expiresAt && now >= plan.plannedAt,
    proof: `now ${iso(now)}, plan good until ${iso(plan.expiresAt)}`,
  }),
}

const factsAfterPlan: Gate<RecheckFacts<RemedyFacts>> = {
  name: 'facts-after-plan',
  why: 'Every source was read after the plan, and just now.',
  judge: ({ now, plan, sources, bounds: { factAgeMaxMs } }) => ({
    passed: Object.values(sources).every((at) => at >= plan.plannedAt && now - at <= factAgeMaxMs),
    proof: `${Object.entries(sources)
      .map(([source, at]) => `${source} read ${iso(at)}`)
      .join(', ')}, planned ${iso(plan.plannedAt)}`,
  }),
}

const bounds: Gate<RecheckFacts<RemedyFacts>> = {
  name: 'bounds',
  why: 'A wrong judgement costs a bounded number of objects.',
  judge: ({ actsOfRun, actsOfHour, bounds: { objectsPerRunMax, objectsPerHourMax } }) => ({
    passed: actsOfRun < objectsPerRunMax && actsOfHour < objectsPerHourMax,
    proof: `${actsOfRun} of ${objectsPerRunMax} in this run, ${actsOfHour} of ${objectsPerHourMax} within the hour`,
  }),
}

function iso(at: number): string {
  return new Date(at).toISOString()
}
