import { keyOf } from '../../snapshot/index.ts'
import { fail, pass, type Verdict } from '../gate.ts'
import type { SetReading } from '../reading.ts'
import type { FailedRunnersPlan } from './facts.ts'
import { causeOf } from './select.ts'

/** Whether a runner has failed that was not there when it was planned: ARC made it since. */
export function newFailures({ runners }: SetReading, { scope }: FailedRunnersPlan): Verdict {
  const failed = runners.filter(({ phase }) => phase === 'Failed')
  const fresh = failed.find((runner) => !scope.known.includes(keyOf(runner)))
  if (fresh === undefined) return pass('no runner of the set has failed since the plan')
  return fail(`${fresh.name} failed since the plan: ${causeOf(fresh) ?? 'no cause stated'}`)
}
