import type { RemedyWorld } from '../../../src/remedy/testing/world.ts'

const hourMs = 60 * 60_000
/** Runners that leak, at most at once. */
const runnersMax = 8

export type Happening = (world: RemedyWorld, name: string, next: string) => void

/** Changes of a fleet of ARC, by itself and by others; `next` names a runner that was never there. */
export const happenings = {
  'a job starts': (world, name) => world.startJob(name),
  'another job starts': (world, name) => world.startJob(name),
  'a job ends': (world, name) => world.endJob(name),
  'a runner is done': (world, name) => world.finishJob(name),
  'another is done': (world, name) => world.finishJob(name),
  'ARC reconciles': (world) => world.reconcile(),
  'the listener goes': (world) => void Object.assign(world, { isListenerUp: false }),
  'the listener comes': (world) => world.raiseListener(),
  'the listener is there': (world) => world.raiseListener(),
  'a runner leaks': (world, _, next) => {
    if (world.runners.size < runnersMax) world.addRunner(next, { createdAt: world.now - 2 * hourMs })
  },
  'another leaks': (world, name, next) => happenings['a runner leaks'](world, name, next),
  'a runner is made': (world, _, next) => {
    if (world.runners.size < runnersMax) world.addRunner(next, { createdAt: world.now })
  },
  'an object is written': (world, name) => world.change(name),
  'another deletes it': (world, name) => world.requestDeletion(name),
  'another strips its finalizers': (world, name) => {
    if (world.runners.get(name)?.deletedAt === null) world.stripFinalizers(name)
  },
  'a runner goes offline': (world, name) => world.goOffline(name),
  'more are wanted': (world) => want(world, 1),
  'fewer are wanted': (world) => want(world, -1),
} as const satisfies Readonly<Record<string, Happening>>

/** Faults of the next call. */
export const faults = {
  'the forge is away': (world) => void Object.assign(world, { forgeFailures: 1 }),
  'the cluster is away': (world) => void Object.assign(world, { clusterFailures: 1 }),
  'a request is lost': (world) => void Object.assign(world, { loseNextAnswer: 'before' }),
  'an answer is lost': (world) => void Object.assign(world, { loseNextAnswer: 'after' }),
} as const satisfies Readonly<Record<string, Happening>>

function want(world: RemedyWorld, more: number): void {
  world.generations = world.generations.map((each) => ({
    ...each,
    replicas: Math.max(0, each.replicas + more),
  }))
}
