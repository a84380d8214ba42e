import { newestGeneration } from '../../audit/runtime/generation.ts'
import { approvals, rechecksAround } from '../common-gates.ts'
import type { Gate } from '../gate.ts'
import type { ProveFacts, Remedy } from '../remedy.ts'
import { goneFromCluster, listenerRunning, noJobLost } from '../runner/results.ts'
import type { ReapFacts } from './facts.ts'
import { rechecks } from './rechecks.ts'

const minuteMs = 60_000

const proofs: readonly Gate<ProveFacts<ReapFacts>>[] = [
  {
    name: 'one-generation',
    why: 'Runners of an older generation run the old spec, and keep a listener from coming back.',
    judge({ reading: { set, generations, runners }, plan }) {
      const newest = set === null ? null : newestGeneration(set, generations)
      const older = generations.filter(({ uid }) => uid !== newest?.uid)
      const left = older.filter(({ uid }) => runners.some(({ runnerSet }) => runnerSet?.uid === uid))
      const proof = `newest ${newest?.name ?? 'not known'}; older: ${older.map(({ name }) => name).join(', ') || 'none'}`
      return { passed: newest !== null && (plan.scope.isStaleGeneration ? older : left).length === 0, proof }
    },
  },
  listenerRunning,
  {
    name: 'set-running',
    why: 'ARC is done with the set. Releases up to 0.12 know no phase.',
    judge: ({ reading: { set } }) => ({
      passed: set !== null && (set.phase === null || set.phase === 'Running'),
      proof: `phase ${set?.phase ?? 'unknown'}`,
    }),
  },
]

/** Removes idle runners of ARC that outlive the demand, or belong to an old generation. */
export const reap: Remedy<ReapFacts> = {
  name: 'reap',
  bounds: {
    objectsPerRunMax: 20,
    objectsPerHourMax: 60,
    planAgeMaxMs: 15 * minuteMs,
    factAgeMaxMs: 20_000,
    // ARC asks the forge every 30 s.
    verifyMaxMs: 2 * minuteMs,
    proveMaxMs: 3 * minuteMs,
  },
  approvals,
  rechecks: rechecksAround(rechecks),
  verifications: [goneFromCluster, noJobLost],
  proofs,
}
