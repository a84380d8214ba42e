import type { ReapSource } from '../../../src/controllers/remedy/reap/index.ts'
import type { AnyPlan } from '../../../src/domain/remedy/index.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import { digest, place } from '../../../src/remedy/testing/world.ts'
import { type Life, type LifeDeps, seenBy } from '../life.ts'
import type { ForeignSide } from './fleet.ts'

const minuteMs = 60_000

/** The reaper of a process, with its calls under way like all others; passes are more frequent than in the program. */
export function reapSourceOf(side: ForeignSide, life: Life, deps: LifeDeps, clock: Clock): ReapSource {
  // A deletion whose answer is lost says so by itself: these two fail in the fleet, and not on the wire.
  const cluster = seenBy(side.cluster, 'arc', life, deps, [])
  const forge = seenBy(side.forge, 'actions', life, deps, [])
  const trail = seenBy(side.trail, 'ledger', life, deps, [])
  const store = seenBy({ lock: () => side.lock() }, 'ledger', life, deps, [])
  const plans = new Map<string, AnyPlan>()
  return {
    mode: 'apply',
    sets: [place],
    namespaces: null,
    isStaleGeneration: false,
    minAgeMs: 60 * minuteMs,
    everyMs: 2 * minuteMs,
    async open() {
      return {
        remedy: {
          ...{ site: 'sim', program: 'sim', digest, clock, cluster, forge, trail },
          actor: { kind: 'controller', name: life.name },
        },
        store: {
          lock: () => store.lock(),
          plans: {
            write: async (hash, plan) => void plans.set(hash, plan),
            read: () => Promise.reject(new Error('the reaper reads no plan')),
          },
        },
        [Symbol.asyncDispose]: async () => {},
      }
    },
  }
}
