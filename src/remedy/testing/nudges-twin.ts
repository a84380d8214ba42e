import { runnerSetFact } from '../../domain/snapshot/testing/facts.ts'
import type { ArcCredential } from '../../ports/arc-credential.ts'
import type { ArcNudges, Nudged } from '../../ports/arc-nudges.ts'
import type { RemedyWorld } from './world.ts'

/** A nudge that took effect, and what the fleet was like then. */
export interface Nudge {
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly tick: number
  readonly at: number
}

/** For tests: nudges of a simulated fleet, and ARC's answer to them. */
export class NudgesTwin {
  readonly acts: Nudge[] = []
  /** Runners by name, with the state that was noted on them. */
  readonly touched = new Map<string, string>()
  /** The forge takes the runners of the set, once ARC makes it again. */
  isImageNew = true
  readonly #world: RemedyWorld

  constructor(world: RemedyWorld) {
    this.#world = world
  }

  readonly nudges: ArcNudges = {
    resetPhase: async (target) =>
      this.#write(() => {
        const { set } = this.#world
        const { uid, resourceVersion } = target
        if (set.uid !== uid) return 'gone'
        if (set.resourceVersion !== resourceVersion) return 'conflict'
        this.#note(target)
        this.#remake()
        return 'nudged'
      }),
    touchRunner: async (target) =>
      this.#write(() => {
        const runner = this.#world.runners.get(target.name)
        if (runner === undefined || runner.uid !== target.uid) return 'gone'
        if (runner.resourceVersion !== target.resourceVersion) return 'conflict'
        this.#note(target)
        this.touched.set(target.name, target.resourceVersion)
        this.#world.change(target.name)
        return 'nudged'
      }),
    readTouch: async ({ name }) => {
      this.#world.touch()
      return this.#world.runners.has(name) ? (this.touched.get(name) ?? null) : null
    },
  }

  /** ARC's log of a removal that was refused, whatever the credential is now. */
  readonly credential: ArcCredential = {
    ask: async ({ namespace, secret }) => {
      this.#world.touch()
      this.#world.note('the credential was asked for')
      const isAccepted = !this.#world.isCredentialDead
      const place = secret === null ? null : { namespace, name: secret }
      const answer = isAccepted ? 'it lists the runners' : '401 Bad credentials'
      return { at: this.#world.now, secret: place, isAccepted, answer }
    },
    readControllerLog: async () => {
      this.#world.touch()
      return this.lines
    },
  }

  lines: readonly string[] = []

  #write(write: () => Nudged): Nudged {
    const world = this.#world
    world.touch()
    const lost = world.loseNextAnswer
    world.loseNextAnswer = null
    if (lost === 'before') return 'unknown'
    const answer = write()
    return lost === 'after' ? 'unknown' : answer
  }

  #note({ name, uid, resourceVersion }: Pick<Nudge, 'name' | 'uid' | 'resourceVersion'>): void {
    const { tick, now } = this.#world
    this.acts.push({ name, uid, resourceVersion, tick, at: now })
  }

  /** ARC registers the set again, and makes its runners and its listener. */
  #remake(): void {
    const world = this.#world
    const phase = this.isImageNew ? 'Running' : 'Outdated'
    world.set = { ...world.set, phase, resourceVersion: `${world.set.resourceVersion}1` }
    if (!this.isImageNew) return
    world.generations = [runnerSetFact('linux', { replicas: 1 })]
    world.raiseListener()
    world.addRunner('made', { createdAt: world.now, phase: 'Running', isReady: true })
  }
}

/** ARC's words about a removal that the forge refused. */
export function refusedLine(name: string): string {
  return `2026-11-16T12:33:56Z\tERROR\tEphemeralRunner\tFailed to clean up runner from service\t{"version": "0.14.2", "ephemeralrunner": {"name":"${name}","namespace":"arc-runners"}, "error": "failed to get runner registration token (401 Unauthorized): : Bad credentials"}`
}
