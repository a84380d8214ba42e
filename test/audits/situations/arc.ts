import { reasonOf } from '../../../src/domain/reason.ts'
import { replayArc } from '../replay-arc.ts'
import type { Situation } from '../situation.ts'

/** States of ARC's real controller in which all is well, and those that only look like trouble. */
export const healthyArc: readonly Situation[] = [
  replay('idle-head', 'head/a-healthy-idle', []),
  replay('idle-0-14', '0.14.2/a-healthy-idle', []),
  replay('idle-0-12', '0.12.1/a-healthy-idle', []),
  replay('zero-0-14', '0.14.2/a2-healthy-scaled-to-zero', []),
  replay('busy-head', 'head/b-healthy-busy', []),
  replay('busy-0-14', '0.14.2/b-healthy-busy', []),
  replay('leaving-head', 'head/f-finalizer-stuck-job-still-running', []),
  replay('rolling-0-14', '0.14.2/c-rollover-busy', []),
]

export const brokenArc: readonly Situation[] = [
  replay('deadlock-head', 'head/c-rollover-deadlock', ['rollover-deadlock']),
  replay('failed-0-14', '0.14.2/e-failed-runners-hold-slots', ['failed-runners-hold-slots']),
  replay('failing-head', 'head/e-failing-runners-5-failures', ['runners-in-failure-back-off']),
  replay('given-up-head', 'head/e-failing-runners-after-6', ['assigned-job-at-risk', 'finalizer-stuck']),
  replay('stuck-head', 'head/f-finalizer-stuck-auth-401', ['finalizer-stuck']),
  replay('outdated-0-14', '0.14.2/g-outdated', ['outdated']),
  replay(
    'stale-0-14',
    '0.14.2/i-stale-generation-ratelimited',
    ['pat-budget-exhausted', 'stale-generation'],
    // Its pod was seen between two ends, and runs on here: after a minute it is no crash loop any more.
    ['listener-crash-loop'],
  ),
  replay('crashing-head', 'head/d-listener-crashloop-ratelimited', [
    'listener-crash-loop',
    'pat-budget-exhausted',
  ]),
  replay('unborn-0-14', '0.14.2/d-listener-neverborn-ratelimited', [
    'pat-budget-exhausted',
    'scale-set-never-registered',
  ]),
  {
    ...replay('quota-0-14', '0.14.2/h-quota', ['quota-exceeded']),
    async make(stage) {
      await replayArc(stage, '0.14.2/h-quota')
      const refusal = await stage.pod('one-more').then(() => 'none', reasonOf)
      if (!refusal.includes('exceeded quota')) throw new Error(`the quota lets pods through: ${refusal}`)
    },
  },
  replay('image-0-14', '0.14.2/j-image-pull', ['image-pull-blocked', 'listener-not-ready']),
]

function replay(
  name: string,
  state: string,
  classes: readonly string[],
  accepted: readonly string[] = [],
): Situation {
  const how = `the state ${state} of ARC's real controller`
  return { name, how, classes, accepted, make: (stage) => replayArc(stage, state) }
}
