import type { ApplyRecord, Caps, CommandEnd } from '../../domain/remedy/managed-apply/index.ts'
import { minuteMs } from '../../domain/snapshot/testing/facts.ts'
import type { ApplyRecords, CommandRunner } from '../../ports/managed-apply.ts'
import type { ApplyDeps } from '../managed-apply/index.ts'
import { RemedyWorld } from './world.ts'

/** The effect of the user's command on the fleet. */
export interface CommandEffect {
  /** Null: it changes no spec. */
  readonly image: string | null
  /** As helm: a field that its source did not change is left as it is. */
  readonly caps: Partial<Caps>
  readonly end: CommandEnd
}

/** For tests: a world with records that outlive a process, and a command of the user. */
export class ApplyWorld extends RemedyWorld {
  readonly kept = new Map<string, ApplyRecord>()
  effect: CommandEffect = { image: 'runner:2', caps: {}, end: { kind: 'exited', code: 0 } }
  /** Ticks at which the command began. */
  readonly commandTicks: number[] = []
  /** Rows of applies, and when they stood in the trail. */
  readonly applyRows: { readonly step: string; readonly subject: string | null; readonly tick: number }[] = []
  /** When the first record of an apply was durable. */
  firstRecordTick: number | null = null
  /** Jobs end at this time, and their runners with them. */
  jobsEndAt: number | null = null
  readonly progress: string[] = []
  #ids = 0

  readonly records: ApplyRecords = {
    write: async (record) => {
      this.touch()
      if (record.state !== 'canary') this.firstRecordTick ??= this.tick
      this.kept.set(record.id, record)
    },
    list: async () => {
      this.touch()
      return [...this.kept.values()].reverse()
    },
  }

  readonly commands: CommandRunner = {
    run: async ({ onStarted }) => {
      this.touch()
      this.commandTicks.push(this.tick)
      await onStarted({ pid: 7, startedAt: '1', bootId: 'b' })
      const { image, caps, end } = this.effect
      if (end.kind === 'not-started') return end
      this.caps.write(caps)
      if (image !== null) this.rollOut(image)
      this.touch()
      return end
    },
    isRunning: async () => {
      this.touch()
      return false
    },
  }

  /** The spec changes: ARC makes a new generation, and the old one goes once its runners are gone. */
  rollOut(image: string): void {
    const [old] = this.generations
    const [container] = this.set.template.containers
    if (old === undefined || container === undefined) return
    const template = { ...this.set.template, containers: [{ ...container, image }] }
    this.set = { ...this.set, template }
    const images = { runner: image }
    if (old.images.runner === image) return
    const next = { ...old, name: 'linux-gen2', uid: 'uid-gen2', specHash: image, createdAt: this.now, images }
    this.generations = [{ ...old, replicas: 0, deletedAt: this.now }, next]
  }

  applyDeps(given: Partial<ApplyDeps> = {}): ApplyDeps {
    const { records, commands, progress, jobsEndAt } = this
    const base = this.deps()
    const { trail } = base
    const clock: ApplyDeps['clock'] = {
      ...base.clock,
      sleep: async (delayMs, signal) => {
        await base.clock.sleep(delayMs, signal)
        if (jobsEndAt === null || this.now < jobsEndAt) return
        for (const [name, { busySince }] of this.atForge) if (busySince !== null) this.finishJob(name)
        this.reconcile()
      },
    }
    return {
      ...base,
      clock,
      records,
      commands,
      trail: {
        ...trail,
        append: async (entry) => {
          const row = await trail.append(entry)
          if (entry.remedy === 'apply')
            this.applyRows.push({ step: entry.step, subject: entry.subject, tick: this.tick })
          return row
        },
      },
      newId: () => {
        this.#ids += 1
        return `apply-${this.#ids}`
      },
      keepPlan: async () => {},
      onProgress: (line) => void progress.push(line),
      ...given,
    }
  }
}

/** For tests: a set with two idle runners and one at work, of which all are wanted. */
export function workingWorld(): ApplyWorld {
  const world = new ApplyWorld()
  world.generations = world.generations.map((each) => ({ ...each, replicas: 3 }))
  const [generation] = world.generations
  const [container] = world.set.template.containers
  const images = { runner: container?.image ?? '' }
  if (generation !== undefined) world.generations = [{ ...generation, images }]
  for (const name of ['r1', 'r2', 'r3']) world.addRunner(name, { images })
  world.startJob('r3')
  world.reconcile()
  world.jobsEndAt = world.now + 10 * minuteMs
  return world
}

export const never = new AbortController().signal
const limits = { commandMaxMs: 10 * minuteMs, settleMaxMs: 30 * minuteMs, minAgeMs: 60 * minuteMs }
export const order = {
  sets: [{ namespace: 'arc-runners', name: 'linux' }],
  argv: ['helm', 'upgrade', 'linux', '--set', 'token=secret-word'],
  limits,
  isZeroWanted: false,
}
