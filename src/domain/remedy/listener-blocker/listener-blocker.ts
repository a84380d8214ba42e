import { approvals, rechecksAround } from '../common-gates.ts'
import type { Remedy } from '../remedy.ts'
import { goneFromCluster, listenerRunning, noJobLost } from '../runner/results.ts'
import type { ListenerBlockerFacts } from './facts.ts'
import { rechecks } from './rechecks.ts'

const minuteMs = 60_000

/** Removes the idle runners, of whatever generation, for whose end ARC waits before it makes a listener again. */
export const listenerBlocker: Remedy<ListenerBlockerFacts> = {
  name: 'listener-blocker',
  bounds: {
    // Each costs a question to the forge about every other.
    objectsPerRunMax: 10,
    objectsPerHourMax: 30,
    planAgeMaxMs: 15 * minuteMs,
    factAgeMaxMs: 20_000,
    // ARC asks the forge every 30 s.
    verifyMaxMs: 2 * minuteMs,
    proveMaxMs: 3 * minuteMs,
  },
  approvals,
  rechecks: rechecksAround(rechecks),
  verifications: [goneFromCluster, noJobLost],
  proofs: [listenerRunning],
}
