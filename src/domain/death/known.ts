import type { ContainerEnd, Ending, PodEnd } from './ending.ts'
import { type ForgeView, forgeView } from './forge.ts'
import type { HostSamples } from './host-samples.ts'
import { type LogSigns, signsOf } from './log.ts'
import { isPlaceholder } from './placeholder.ts'
import type { DeathFacts, JobReport } from './record.ts'
import { type Vitals, vitalsOf } from './vitals.ts'

/** The container that runs the job, in every shape of a pod. */
const runnerContainer = 'runner'
/** One minute of vitals: enough for the end and the time just before. */
const vitalsAtEnd = 20

/** The facts of one end, with values that are derived once and on demand: most ends need no log. */
export class Known implements DeathFacts {
  readonly ending: Ending
  readonly job: JobReport | null
  readonly ring: HostSamples | null
  readonly pod: PodEnd | null
  /** Nobody saw the end: the runtime reported a placeholder. */
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
    this.#vitals ??= vitalsOf(this.ending.tail, vitalsAtEnd)
    return this.#vitals
  }

  get runner(): ContainerEnd | undefined {
    return this.pod?.containers.find(({ name }) => name === runnerContainer)
  }

  get forge(): ForgeView {
    return forgeView(this.ending, this.job, () => this.log)
  }

  /** Whether a signal ended it; a launcher that passes one on exits with 128 + its number. */
  endedBy(name: string, number: number): boolean {
    return this.ending.signal === name || this.ending.exitCode === 128 + number
  }

  /** Whether the log may explain the end: exit code 0 needs no explanation, unless the forge lost the job. */
  get isOpen(): boolean {
    return this.ending.exitCode !== 0 || this.forge === 'lost'
  }
}

/** Defaults for records of older versions, which lack these fields. */
const notRead = { conditions: [], events: [], nodeAtEnd: null, containers: [] }

/** Wraps the facts once for all rules; null where nothing of the end was read. */
export function knownOf(facts: DeathFacts): Known | null {
  if (facts instanceof Known) return facts
  return facts.ending === null ? null : new Known(facts.ending, facts)
}
