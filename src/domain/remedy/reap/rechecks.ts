import { fail, type Gate } from '../gate.ts'
import type { RecheckFacts } from '../remedy.ts'
import {
  finalizerOfArc,
  noJobInCluster,
  notBusyAtForge,
  sameObject,
  startedContainer,
} from '../runner/rechecks.ts'
import type { ReapFacts } from './facts.ts'
import { selectRunners } from './select.ts'

const stillEligible: Gate<RecheckFacts<ReapFacts>> = {
  name: 'still-eligible',
  why: 'Generations, wanted replicas and ages are judged again as in the plan.',
  judge({ reading, plan, planned, now }) {
    const found = selectRunners(reading, plan.scope, now).find(({ runner }) => runner.uid === planned.uid)
    if (found === undefined) return fail('it is not among the runners of its set')
    return { passed: found.arm === planned.arm, proof: `${found.arm ?? 'stays'}: ${found.why}` }
  },
}

/** Asked about each runner immediately before it is deleted; every one must pass. */
export const rechecks: readonly Gate<RecheckFacts<ReapFacts>>[] = [
  sameObject,
  stillEligible,
  noJobInCluster,
  notBusyAtForge,
  startedContainer,
  finalizerOfArc,
]
