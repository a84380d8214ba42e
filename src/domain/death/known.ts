import type { ContainerEnd, Ending, PodEnd } from './ending.ts'
import { type ForgeView, forgeView } from './forge.ts'
import type { HostRing } from './host-ring.ts'
import { type LogSigns, signsOf } from './log.ts'
import { isPlaceholder } from './placeholder.ts'
import type { DeathFacts, JobAtEnd } from './record.ts'
import { type Vitals, vitalsOf } from './vitals.ts'

/** The container that runs the job, in every shape of a pod. */
const RUNNER = 'runner'
/** One minute of vitals: enough to see the end, and what was just before. */
const VITALS_AT_END = 20

/** The facts of one end, with what is read out of them once and only where a rule asks: most ends need no log. */
export class Known implements DeathFacts {
  readonly ending: Ending
  readonly job: JobAtEnd | null
  readonly ring: HostRing | null
  readonly pod: PodEnd | null
  /** Nobody saw its end: the runtime says something in its place. */
  readonly isEndMadeUp: boolean
  #log: LogSigns | undefined
  #vitals: readonly Vitals[] | undefined

  constructor(ending: Ending, { job, ring }: Omit<DeathFacts, 'ending'>) {
    this.pod = ending.pod ? { ...notRead, ...ending.pod } : null
    const runner = this.runner
    const isMadeUp = runner?.state === 'terminated' && isPlaceholder(runner)
    this.ending = { ...ending, pod: ending.pod ?? null, ...(isMadeUp && { exitCode: null, signal: null }) }
    this.isEndMadeUp = isMadeUp
    this.job = job ?? null
    this.ring = ring ?? null
  }

  get log(): LogSigns {
    this.#log ??= signsOf(this.ending.tail)
    return this.#log
  }

  get vitals(): readonly Vitals[] {
    this.#vitals ??= vitalsOf(this.ending.tail, VITALS_AT_END)
    return this.#vitals
  }

  get runner(): ContainerEnd | undefined {
    return this.pod?.containers.find(({ name }) => name === RUNNER)
  }

  get forge(): ForgeView {
    return forgeView(this.ending, this.job, () => this.log)
  }

  /** A launcher that passes a signal on exits with 128 + its number. */
  endedBy(name: string, number: number): boolean {
    return this.ending.signal === name || this.ending.exitCode === 128 + number
  }

  /** Whether its end is still to be explained by what its log says: exit 0 is none, unless the forge lost its job. */
  get isOpen(): boolean {
    return this.ending.exitCode !== 0 || this.forge === 'lost'
  }
}

/** Records that were sealed before these were read lack them. */
const notRead = { conditions: [], events: [], nodeAtEnd: null, containers: [] }

/** The same facts once for all rules. */
export function knownOf(facts: DeathFacts): Known | null {
  if (facts instanceof Known) return facts
  return facts.ending === null ? null : new Known(facts.ending, facts)
}
