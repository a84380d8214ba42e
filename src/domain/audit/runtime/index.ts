import type { Audit } from '../audit.ts'
import { runtimeClasses } from './classes.ts'
import { judgeFailingRunners } from './rules/back-off.ts'
import { judgeFailedRunners } from './rules/failed.ts'
import { judgeFinalizers } from './rules/finalizer.ts'
import { judgeGenerations } from './rules/generation.ts'
import { judgeHandoffs } from './rules/handoff.ts'
import { judgeIdleLeaks } from './rules/idle-leak.ts'
import { judgeListeners } from './rules/listener.ts'
import { judgeOutdated } from './rules/outdated.ts'
import { judgeQuotas } from './rules/quota.ts'
import { judgeReach } from './rules/reach.ts'
import { judgeRegistration } from './rules/registration.ts'
import { judgeRollovers } from './rules/rollover.ts'
import { judgeTraps } from './rules/traps.ts'
import { judgeVersions } from './rules/version.ts'
import { runtimeTables } from './tables.ts'
import { unjudgedClasses } from './unjudged.ts'
import { viewFleet } from './view.ts'

const rules = [
  judgeListeners,
  judgeRegistration,
  judgeRollovers,
  judgeGenerations,
  judgeIdleLeaks,
  judgeFailedRunners,
  judgeFailingRunners,
  judgeFinalizers,
  judgeOutdated,
  judgeVersions,
  judgeQuotas,
  judgeHandoffs,
  judgeReach,
  judgeTraps,
]

/** ARC itself: its listeners, generations and runners, in every layout from 0.9 on. */
export const runtime: Audit = {
  name: 'runtime',
  title: 'ARC’s listeners, rollovers and runners',
  classes: runtimeClasses,
  judge(input) {
    const fleet = viewFleet(input)
    const rulings = rules.map((judge) => judge(fleet))
    return {
      findings: rulings.flatMap(({ findings }) => findings),
      unjudged: [...rulings.flatMap(({ unjudged }) => unjudged ?? []), ...unjudgedClasses(fleet)],
      tables: fleet.sets.length === 0 ? [] : runtimeTables(fleet),
    }
  },
}
