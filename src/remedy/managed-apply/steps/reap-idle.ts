import { counted } from '../../../domain/format.ts'
import { reap } from '../../../domain/remedy/index.ts'
import { applyPlan } from '../../apply.ts'
import { planReap } from '../../reap/plan-reap.ts'
import { reapTreatment } from '../../reap/reap-treatment.ts'
import { applyBounds } from '../bounds.ts'
import type { Step } from '../step.ts'
import { canaryText, judgeCanary } from './canary.ts'

/** REAP_IDLE: `reap` by its own gates, on these sets only. A runner that got a job meanwhile is none to reap. */
export const reapIdle: Step = async ({ run, deps, signal }) => {
  const { sets, limits } = run.record
  // An apply that is resumed begins in a fleet that may have changed since.
  const canary = await judgeCanary(sets, deps, signal)
  if (canary.failed.length > 0) return { event: 'stop', gates: canary.gates, outcome: canaryText(canary) }
  const scope = {
    sets: sets.map(({ namespace, name }) => ({ namespace, name })),
    isStaleGeneration: false,
    minAgeMs: limits.minAgeMs,
  }
  let treated = 0
  for (let tries = 0; tries < applyBounds.idleReapsMax; tries++) {
    const { state, plan, hash } = await planReap(reap, scope, deps, signal)
    if (state === 'observed') return { event: 'pass', outcome: reapedText(treated) }
    if (state !== 'planned') return { event: 'stop', outcome: `reap is ${state}` }
    await deps.keepPlan(hash, plan)
    const report = await applyPlan(reapTreatment(reap, deps), plan, deps, signal)
    treated += report.treated.length
    if (report.state === 'done') return { event: 'pass', outcome: reapedText(treated) }
    if (report.state !== 'aborted')
      return { event: 'stop', outcome: `reap is ${report.state}: ${report.outcome}` }
  }
  return { event: 'pass', outcome: `${reapedText(treated)}; the rest changed too often, and stays` }
}

function reapedText(treated: number): string {
  return treated === 0 ? 'no idle runner outlives the demand' : `${counted(treated, 'idle runner')} reaped`
}
