import type { Situation } from '../situation.ts'
import { brokenArc, healthyArc } from './arc.ts'
import { brokenFleet, healthyFleet } from './fleet.ts'
import { pendingSituations } from './pending.ts'
import { brokenPulls, healthyPulls } from './pulls.ts'
import { brokenScaling, healthyScaling } from './scaling.ts'

/** Made first: nothing may be found in them, alone or next to trouble. */
export const healthySituations: readonly Situation[] = [
  ...healthyArc,
  ...healthyFleet,
  ...healthyPulls,
  ...healthyScaling,
]

export const brokenSituations: readonly Situation[] = [
  ...pendingSituations,
  ...brokenFleet,
  ...brokenPulls,
  ...brokenScaling,
  ...brokenArc,
]
