import type { PollAnswer } from '../../src/dispatch/index.ts'
import type { ForgeCore } from '../forge/core/index.ts'
import type { Mortal } from './mortal.ts'
import { type NetworkDeps, noAnswer, request } from './network.ts'
import type { Random } from './random.ts'
import type { Scheduler } from './scheduler.ts'

/** Faults of runners; all zero in the quiet end of a history. */
export interface RunnerFaults {
  /** Chance that it is killed at a step. */
  dies: number
  /** Chance that it stops doing anything at a step, and stays. */
  freezes: number
  /** Chance that it is asked to stop at a step of its work: it reports its job as cancelled and ends. */
  reclaimed: number
}

/** The server as a runner sees it: null while no process of Holdfast lives. */
export interface ServerSide {
  poll(runner: string, secret: string): Promise<PollAnswer | 'refused'>
  acknowledge(runner: string, handle: string): Promise<'acknowledged' | 'lost'>
}

export interface RunnerWorld {
  readonly scheduler: Scheduler
  readonly random: Random
  readonly network: NetworkDeps
  readonly core: ForgeCore
  readonly faults: RunnerFaults
  readonly server: () => ServerSide | null
  /** How long a job's script runs, and how it ends. */
  readonly workOf: (forgeJobId: number) => {
    readonly durationMs: number
    readonly conclusion: 'success' | 'failure'
  }
  /** Called with each configuration that a runner holds in its hands. */
  readonly onJit: (runner: string, jit: string) => void
  /** Its own random source for which runners are asked to stop. */
  readonly reclaims: Random
  /** Called with each runner with which something is wrong from now on. */
  readonly onFall: (runner: string) => void
  /** Called when Holdfast stops a runner that lives. */
  readonly onStop: (runner: string) => void
}

const pollTimeoutMs = 40_000
const retryMs = 2_000
const forgeTimeoutMs = 10_000
const askEveryMs = 1_000
/** 128 + 15: the exit code of a program that ends by SIGTERM. */
const sigtermCode = 143

/** A runner's whole life: boot, ask for work, register at the forge, run one job, end. It may die at every step. */
export function liveAsRunner(self: Mortal, secret: string, world: RunnerWorld): void {
  live(self, secret, world).catch((error) => {
    throw error // a defect of the simulation itself
  })
}

async function live(self: Mortal, secret: string, world: RunnerWorld): Promise<void> {
  await step(self, world, world.random.between(10, 2_000))
  const job = await askForWork(self, secret, world)
  if (job === null) return self.end(0, null)
  world.onJit(self.name, job.jit)
  if (!(await acknowledge(self, job.handle, world))) return self.end(0, null)
  await self.handOver?.()
  const session = await connect(self, job.jit, world)
  if (session === null) return self.end(0, null) // as the real runner's launcher does
  await work(self, session, world)
  self.end(0, null)
}

async function askForWork(
  self: Mortal,
  secret: string,
  world: RunnerWorld,
): Promise<Extract<PollAnswer, { kind: 'job' }> | null> {
  for (;;) {
    const answer = await toServer(`poll of ${self.name}`, pollTimeoutMs, world, (server) =>
      server.poll(self.name, secret),
    )
    if (answer === noAnswer) await step(self, world, retryMs)
    else if (answer === 'refused') return null
    else if (answer.kind === 'leave') return null
    else if (answer.kind === 'job') {
      await step(self, world, 1)
      return answer
    } else await step(self, world, 10)
  }
}

async function acknowledge(self: Mortal, handle: string, world: RunnerWorld): Promise<boolean> {
  for (;;) {
    const answer = await toServer(`ack of ${self.name}`, forgeTimeoutMs, world, (server) =>
      server.acknowledge(self.name, handle),
    )
    if (answer === 'acknowledged') return true
    if (answer === 'lost') return false
    await step(self, world, retryMs)
  }
}

async function connect(self: Mortal, jit: string, world: RunnerWorld): Promise<string | null> {
  for (;;) {
    const answer = await toForge(`connect of ${self.name}`, world, (now) =>
      world.core.connect(jit, self.name, now),
    )
    if (answer === noAnswer) await step(self, world, retryMs)
    else return answer.kind === 'connected' ? answer.session : null
  }
}

/** Waits for the job that the forge gives it, runs it while renewing its lock, and reports. */
async function work(self: Mortal, session: string, world: RunnerWorld): Promise<void> {
  const { core, scheduler } = world
  for (;;) {
    const answer = await toForge(`question of ${self.name}`, world, (now) => core.poll(session, now))
    if (answer !== noAnswer && answer.kind === 'gone') return
    if (answer === noAnswer || answer.kind === 'nothing') {
      await step(self, world, askEveryMs)
      continue
    }
    const { job } = answer
    const { durationMs, conclusion } = world.workOf(job.id)
    const end = scheduler.now() + durationMs
    let isCancelled = false
    while (scheduler.now() < end) {
      await step(self, world, Math.min(core.delays.renewEveryMs, end - scheduler.now()))
      const renewed = await toForge(`renewal of ${self.name}`, world, (now) =>
        core.renew(session, job.id, now),
      )
      if (renewed === 'lost') return
      if (world.reclaims.chance(world.faults.reclaimed)) return await leave(self, session, job.id, world)
      isCancelled = renewed === 'cancelled'
      if (isCancelled) break
    }
    for (;;) {
      const reported = await toForge(`report of ${self.name}`, world, (now) =>
        core.complete(session, job.id, isCancelled ? 'cancelled' : conclusion, now),
      )
      if (reported !== noAnswer) return
      await step(self, world, retryMs)
    }
  }
}

/** Something other than Holdfast stops the runner, as on reclaimed spot machines. It does not wait for answers. */
async function leave(self: Mortal, session: string, jobId: number, world: RunnerWorld): Promise<void> {
  world.onFall(self.name)
  await toForge(`goodbye of ${self.name}`, world, (now) =>
    world.core.complete(session, jobId, 'cancelled', now),
  )
  if (self.alive) self.end(sigtermCode, 'SIGTERM')
}

/** A request to whichever process of Holdfast lives; none: no answer. */
async function toServer<T>(
  what: string,
  timeoutMs: number,
  world: RunnerWorld,
  call: (server: ServerSide) => Promise<T>,
): Promise<T | typeof noAnswer> {
  const server = world.server()
  return server === null ? noAnswer : request(what, () => call(server), timeoutMs, world.network)
}

function toForge<T>(
  what: string,
  world: RunnerWorld,
  call: (now: number) => T,
): Promise<T | typeof noAnswer> {
  return request(what, async () => call(world.scheduler.now()), forgeTimeoutMs, world.network)
}

/** Time passes for a runner. For one that died or froze meanwhile the promise never settles. */
function step(self: Mortal, world: RunnerWorld, delayMs: number): Promise<void> {
  const { scheduler, random, faults } = world
  return new Promise((resolve) => {
    scheduler.after(delayMs, () => {
      if (!self.alive) return
      if (random.chance(faults.dies)) return self.end(null, 'SIGKILL')
      if (random.chance(faults.freezes)) return world.onFall(self.name)
      resolve()
    })
  })
}
