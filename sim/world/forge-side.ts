import type { Instant } from '../../src/domain/time.ts'
import type { Forge } from '../../src/ports/forge.ts'
import type { ForgeCore } from '../forge/core/index.ts'
import { createDeliveriesTwin } from './deliveries.ts'
import type { Faults } from './faults.ts'
import { createForgeTwin } from './forge.ts'
import type { Surroundings } from './holdfast.ts'
import type { Random } from './random.ts'
import { createPointLimit, createRateLimit, limitedForge } from './rate-limit.ts'
import { withRefusals } from './refusals.ts'
import { withStaleReads } from './stale-reads.ts'
import { repositories } from './workload.ts'

/** The window of the forge's limit: short, so that a history sees many. */
const limitWindowMs = 2 * 60_000
/** By how much the forge's answers lag at most; see readLagMs of the rules. */
const lagMaxMs = 5_000

/** The forge as all processes reach it: limited, lagging, and refusing what people broke. */
export function forgeSide(given: {
  readonly core: ForgeCore
  readonly installation: string
  readonly now: () => Instant
  readonly faults: Faults
  readonly random: Random
  /** While people break things. */
  readonly wildMs: number
  /** Whether it lets runs be cancelled by who asks; people can. */
  readonly canCancel: boolean
}): Pick<Surroundings, 'forge' | 'deliveries' | 'limit' | 'pointsPerMinute'> {
  const { core, installation, now, faults, random } = given
  const limit = createRateLimit(faults.callsMax, limitWindowMs, now)
  const { pointsPerMinute } = faults
  const points = pointsPerMinute === null ? null : createPointLimit(pointsPerMinute, now)
  const lags = random.fork('lag')
  const lagMs = () => (lags.chance(faults.reads.stale) ? lags.between(0, lagMaxMs) : 0)
  const lagging = withStaleReads(createForgeTwin(core, installation, now), core, installation, now, lagMs)
  const broken = faults.hasRefusals ? repositories : []
  const refusing = withRefusals(lagging, broken, random.fork('refusals'), now(), given.wildMs, now)
  const deliveries = createDeliveriesTwin(core, now, random.fork('list'), faults.list)
  return {
    forge: limitedForge(given.canCancel ? refusing : { ...refusing, cancelRun }, limit, points),
    deliveries: faults.hasList ? limitedForge(deliveries, limit, points) : null,
    limit,
    pointsPerMinute,
  }
}

const cancelRun: Forge['cancelRun'] = async () => ({
  kind: 'unsupported',
  reason: 'This forge has no call for it',
})
