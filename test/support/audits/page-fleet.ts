import { createHash } from 'node:crypto'
import type { Roles } from '../../../src/cli/index.ts'
import { HoldfastError } from '../../../src/domain/errors/index.ts'
import { type ReapPlan, reap } from '../../../src/domain/remedy/index.ts'
import { problemsOf } from '../../../src/domain/trail/index.ts'
import { applyPlan, planReap, reapTreatment } from '../../../src/remedy/index.ts'
import { memoryTrail } from '../../../src/remedy/testing/memory-trail.ts'
import { leakingWorld } from '../../../src/remedy/testing/world.ts'
import { encodeSnapshot } from '../../../src/snapshot/index.ts'
import { examples } from './examples.ts'

const stored = { store: 'files', place: 'remedies/trail.jsonl' } as const
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The fleet behind one page: the example `next-to-arc`, whose set of ARC and forge are a world in virtual time. */
export function createPageFleet(): Pick<Roles, 'collectSnapshot' | 'writeSnapshot' | 'reap' | 'readTrail'> {
  const world = leakingWorld()
  const trail = memoryTrail(sha256)
  const deps = world.deps({ trail, digest: sha256, program: '0.1.0' })
  const plans = new Map<string, ReapPlan>()
  return {
    collectSnapshot: async () => examples['next-to-arc']?.() ?? missing('next-to-arc'),
    async writeSnapshot(file, { collect }) {
      const snapshot = await collect()
      return { snapshot, bytes: encodeSnapshot(snapshot, file).length }
    },
    async reap(_config, { scope, apply }, signal) {
      if (apply !== null) {
        const plan = plans.get(apply) ?? missing(apply)
        const run = await applyPlan(reapTreatment(reap, deps), plan, deps, signal)
        return { state: run.state, plan, hash: apply, run, head: await trail.head(), ...stored }
      }
      const { isStaleGeneration, minAgeMs } = scope
      const order = { sets: scope.sets ?? [], isStaleGeneration, minAgeMs }
      const { plan, hash, state } = await planReap(reap, order, deps, signal)
      plans.set(hash, plan)
      return { state, plan, hash, run: null, head: await trail.head(), ...stored }
    },
    async readTrail(_config, noted) {
      const [rows, head] = [await trail.rows(), await trail.head()]
      const kept = noted === null ? [] : problemsOf(rows.slice(0, noted.count), noted, sha256)
      const problems = [...problemsOf(rows, head, sha256), ...kept]
      return { rows, head, ...stored, problems }
    },
  }
}

function missing(what: string): never {
  throw new HoldfastError('E_PLAN_UNKNOWN', { hash: what })
}
