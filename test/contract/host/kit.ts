import { expect } from 'vitest'
import type { HostedRunner, RunnerHost, RunnerStart, StopOrder } from '../../../src/ports/runner-host.ts'

/** Optional abilities of a kind of host; the suite tests them only where they are declared. */
export interface HostNature {
  /** The runner's program begins after a job was given, and can be seen to have begun (`program`). */
  readonly showsProgram?: boolean
  /** Runners are made from templates that change. */
  readonly hasTemplates?: boolean
  /** There are several places, which can be lost. */
  readonly hasNodes?: boolean
}

/** A host of its own for one test, and what happens to its runners from outside. */
export interface HostUnderTest extends AsyncDisposable {
  readonly host: RunnerHost
  /** A start under a name that was never used, in a pool that the host knows. */
  newStart(): RunnerStart
  /** The runner ends by itself with this exit code; resolves at once. */
  end(name: string, exitCode: number): Promise<void>
  /** Lets time pass until it holds; throws with `what` where it never does. */
  until(what: string, holds: () => Promise<boolean>): Promise<void>
  /** Another process of Holdfast takes the place of this one; `host` is its host from then on. */
  restart?(): Promise<void>
  /** The runner's program begins; resolves when the host can see it. Needed with `showsProgram`. */
  begin?(name: string): Promise<void>
  /** Removes the runner by force, past every guard, while the host watches. */
  tearOut?(name: string): Promise<void>
  /** From now on the host has no room for one more. */
  fill?(): Promise<void>
  /** The runner's node or machine is lost, and nothing more comes from it. */
  losePlace?(name: string): Promise<void>
  /** From now on runners are made from something else. */
  changeTemplate?(pool: string): Promise<void>
}

export type OpenHost = () => Promise<HostUnderTest>

/** Helpers of the suite over a host that is opened again for each test. */
export function hostBench(current: () => HostUnderTest) {
  const never = new AbortController().signal
  const host = () => current().host
  const listed = async (name: string): Promise<HostedRunner | undefined> =>
    (await host().list()).find((runner) => runner.name === name)
  const hasExited = async (name: string) => (await listed(name))?.state === 'exited'
  return {
    host,
    listed,
    under: current,
    find: (name: string) => host().find(name, never),
    order: (over: Partial<StopOrder> = {}): StopOrder => ({
      reason: 'the contract',
      graceMs: 500,
      evenIfStarted: true,
      ...over,
    }),
    async started(): Promise<RunnerStart> {
      const start = current().newStart()
      expect(await host().start(start, never)).toEqual({ kind: 'started' })
      return start
    },
    startAgain: (start: RunnerStart) => host().start(start, never),
    exited: (name: string) => current().until(`${name} has exited`, () => hasExited(name)),
    async ended(exitCode = 0): Promise<string> {
      const { name } = await this.running()
      await current().end(name, exitCode)
      await this.exited(name)
      return name
    },
    /** Started, and its first program runs. */
    async running(): Promise<RunnerStart> {
      const start = await this.started()
      const runs = async () => ((await listed(start.name))?.startedAt ?? null) !== null
      await current().until(`${start.name} runs`, runs)
      return start
    },
  }
}

export type HostBench = ReturnType<typeof hostBench>
