import { afterEach, beforeEach, describe } from 'vitest'
import type { Attempt } from '../../../src/domain/attempt/index.ts'
import type { Job } from '../../../src/domain/job/index.ts'
import type { Runner } from '../../../src/domain/runner/index.ts'
import type { Claim, JobFile, Ledger } from '../../../src/ports/ledger.ts'
import { cause, farMs, host, type JobEventOver, jit, jobEvent, pool, started } from './samples.ts'

export * from './samples.ts'

/** A ledger under test, and how to be rid of it. */
export interface MadeLedger {
  readonly ledger: Ledger
  /** A ledger on the same rows, as a process has it that serves this installation. */
  serving(installation: string): Promise<Ledger>
  /** The same, as one has it for whom every other host is lost a moment after its heartbeat. */
  impatient(): Promise<Ledger>
  /** A newer version writes a row so that this one cannot read its state; the answer makes it as it was. */
  makeUnreadable(of: RowName): Promise<() => Promise<void>>
  close(): Promise<void>
}

interface RowName {
  readonly kind: 'job' | 'attempt' | 'runner'
  readonly id: number
}
export type MakeLedger = () => Promise<MadeLedger>

/** Describes one topic; each of its tests gets a ledger of its own, with the pool `linux`. */
export function topic(title: string, make: MakeLedger, tests: (bench: () => Bench) => void): void {
  describe(title, () => {
    let made: MadeLedger | undefined
    let bench: Bench | undefined
    beforeEach(async () => {
      made = await make()
      bench = new Bench(made)
      await made.ledger.putPools([pool()], cause)
    })
    afterEach(async () => {
      await made?.close()
      made = undefined
    })
    tests(() => {
      if (bench === undefined) throw new Error('the bench is there only inside a test')
      return bench
    })
  })
}

/** An attempt under test with the runner that has it. */
export interface Held {
  readonly handle: string
  readonly jobId: number
  readonly runnerId: number
  /** The name under which the forge knows the runner. */
  readonly name: string
}

/** The steps by which tests bring a ledger into the state that they speak about. */
export class Bench {
  readonly ledger: Ledger
  readonly serving: MadeLedger['serving']
  readonly impatient: MadeLedger['impatient']
  readonly makeUnreadable: MadeLedger['makeUnreadable']
  #count = 0

  constructor({ ledger, serving, impatient, makeUnreadable }: MadeLedger) {
    this.ledger = ledger
    this.serving = serving
    this.impatient = impatient
    this.makeUnreadable = makeUnreadable
  }

  next(): number {
    this.#count += 1
    return this.#count
  }

  handle(): string {
    const start = this.next().toString(16).padStart(8, '0')
    return `${start}-0000-4000-8000-000000000000`
  }

  /** A job that the forge reported as queued. */
  async queue(forgeJobId: number, over: JobEventOver = {}): Promise<number> {
    const result = await this.ledger.applyJobEvent(jobEvent(forgeJobId, 'queued', over), cause)
    if (result.kind !== 'new') throw new Error(`job ${forgeJobId} was not new: ${result.kind}`)
    return result.jobId
  }

  async bootingRunner(over: { pool?: string; bootDeadlineMs?: number } = {}): Promise<Runner> {
    const { pool: of = 'linux', bootDeadlineMs = farMs } = over
    const name = `${of}-${this.next().toString(16).padStart(8, '0')}`
    return await this.ledger.enrol(
      { name, pool: of, host, identityHash: `hash of ${name}`, bootDeadlineMs },
      cause,
    )
  }

  async idleRunner(over: { pool?: string; bootDeadlineMs?: number } = {}): Promise<Runner> {
    const runner = await this.bootingRunner(over)
    await this.ledger.polled(runner.id)
    return runner
  }

  /** The next job of the pool on a runner of its own. */
  async claimed(over: { runnerId?: number; pool?: string; deadlineMs?: number } = {}): Promise<Held> {
    const runner =
      over.runnerId === undefined
        ? await this.idleRunner(over.pool === undefined ? {} : { pool: over.pool })
        : await this.runner(over.runnerId)
    const result = await this.ledger.claim(runner, this.handle(), over.deadlineMs ?? farMs)
    if (result.kind !== 'claimed') throw new Error(`nothing was claimed: ${result.kind}`)
    return held(result.claim)
  }

  async minted(over: Parameters<Bench['claimed']>[0] = {}): Promise<Held> {
    const attempt = await this.claimed(over)
    await this.ledger.minted(attempt.handle, 1000 + attempt.runnerId, jit(attempt.handle), farMs)
    return attempt
  }

  async delivered(over: Parameters<Bench['claimed']>[0] = {}): Promise<Held> {
    const attempt = await this.minted(over)
    await this.ledger.deliver(attempt.handle, farMs)
    return attempt
  }

  async acknowledged(over: Parameters<Bench['claimed']>[0] = {}): Promise<Held> {
    const attempt = await this.delivered(over)
    await this.ledger.acknowledge(attempt.handle)
    return attempt
  }

  async registered(over: Parameters<Bench['claimed']>[0] = {}): Promise<Held> {
    const attempt = await this.acknowledged(over)
    await this.ledger.registered(attempt.handle, farMs, cause)
    return attempt
  }

  /** The forge says that the runner runs the job for which it was claimed. */
  async running(over: Parameters<Bench['claimed']>[0] = {}): Promise<Held> {
    const attempt = await this.registered(over)
    const { job } = await this.file(attempt.jobId)
    await this.ledger.applyJobEvent(started(job, attempt.name), cause)
    return attempt
  }

  async file(jobId: number): Promise<JobFile> {
    const file = await this.ledger.jobFile(jobId)
    if (file === null) throw new Error(`job ${jobId} is not known`)
    return file
  }

  async job(jobId: number): Promise<Job> {
    return (await this.file(jobId)).job
  }

  /** An attempt by its handle; it may have been bound to another job meanwhile. */
  async attempt(of: Held, jobId = of.jobId): Promise<Attempt> {
    const found = (await this.file(jobId)).attempts.find((attempt) => attempt.handle === of.handle)
    if (found === undefined) throw new Error(`job ${jobId} has no attempt ${of.handle}`)
    return found
  }

  async runner(runnerId: number): Promise<Runner & { readonly jobId: number | null }> {
    const found = (await this.ledger.runners(1000)).rows.find((runner) => runner.id === runnerId)
    if (found === undefined) throw new Error(`runner ${runnerId} is not known`)
    return found
  }
}

export const attemptStages = [
  'claimed',
  'minted',
  'delivered',
  'acknowledged',
  'registered',
  'running',
] as const
export type AttemptStage = (typeof attemptStages)[number]

function held({ attempt, job }: Claim): Held {
  return { handle: attempt.handle, jobId: job.id, runnerId: attempt.runnerId, name: attempt.forgeRunnerName }
}
