import { createHash } from 'node:crypto'
import type { HostSources, RemedyDeps } from '../../../src/remedy/index.ts'
import { memoryTrail } from '../../../src/remedy/testing/memory-trail.ts'
import { createTwinHost, type TwinHost } from './twin.ts'

/** One host in virtual time, with a trail. Everything may change before each call of a port. */
export interface HostWorld {
  readonly twin: TwinHost
  readonly deps: RemedyDeps & HostSources
  now: number
  /** Called before every call of a port. */
  disturb: () => unknown
  /** The next act's answer is lost: before the host got it, or after it acted. */
  loseNext: 'before' | 'after' | null
  /** Looks that fail from now on. */
  failingLooks: number
  readonly steps: () => readonly string[]
}

export function createHostWorld(): HostWorld {
  const twin = createTwinHost()
  const digest = (text: string): string => createHash('sha256').update(text).digest('hex')
  const { append, ...trail } = memoryTrail(digest)
  const answered = async <T>(call: () => Promise<T>): Promise<T | 'unknown'> => {
    await world.disturb()
    const lost = world.loseNext
    world.loseNext = null
    if (lost === 'before') return 'unknown'
    const answer = await call()
    return lost === 'after' ? 'unknown' : answer
  }
  const world: HostWorld = {
    twin,
    now: Date.UTC(2026, 0, 2, 3, 4, 5),
    disturb: () => undefined,
    loseNext: null,
    failingLooks: 0,
    steps: () => trail.kept.map(({ step }) => step),
    deps: {
      site: 'test',
      host: twin.host,
      hosts: {
        async look(host, signal) {
          await world.disturb()
          if (world.failingLooks === 0) return twin.hosts.look(host, signal)
          world.failingLooks -= 1
          return { kind: 'unreachable', why: 'its host key is not known', needs: null }
        },
      },
      acts: {
        treatFolder: (...given) => answered(() => twin.acts.treatFolder(...given)),
        controlService: (...given) => answered(() => twin.acts.controlService(...given)),
      },
      trail: {
        ...trail,
        async append(entry) {
          await world.disturb()
          return append(entry)
        },
      },
      clock: {
        now: () => world.now,
        async sleep(delayMs) {
          world.now += delayMs
          await world.disturb()
        },
        after: () => () => {},
      },
      digest,
      actor: { kind: 'person', name: 'ada' },
      program: 'test',
    },
  }
  return world
}

/** A drained host with one folder that the runner cannot empty, and one in order. */
export async function contaminatedWorld(): Promise<HostWorld> {
  const world = createHostWorld()
  await world.twin.directory('web/web/dist', { uid: 0 })
  await world.twin.file('web/web/dist/app.js', { uid: 0 })
  await world.twin.file('api/api/kept')
  await world.twin.installService('own')
  return world
}
