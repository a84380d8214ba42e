import { describe, expect, it } from 'vitest'
import {
  type ControlBench,
  cause,
  createControlBench,
  exited,
  never,
} from '../../test/support/control-bench.ts'
import { classifyDeath } from '../domain/death/index.ts'
import { HoldfastError } from '../domain/errors/index.ts'
import { runLoop } from '../loop/index.ts'
import type { Forge } from '../ports/forge.ts'
import { recoveryLoop } from './index.ts'

const tickMs = 1_000
const callMs = 100
const stepMs = 10
const forgeTimeoutMs = 15_000

/** Dead runners with a delivered job each, whose deaths are sealed. */
async function deadWithJobs(bench: ControlBench, count: number): Promise<void> {
  const { core, clock, forge, ledger } = bench
  const jobs = [{ name: 'test', labels: ['self-hosted'], script: 'true' }]
  for (let n = 1; n <= count; n += 1)
    core.submit({ repository: `acme/app-${n}`, workflow: 'ci', jobs }, clock.now())
  const asked = { installation: 'sim', since: 0, settledRuns: new Set<number>() }
  for (const event of (await forge.listJobs(asked, never)).events) await ledger.applyJobEvent(event, cause)
  for (let n = 1; n <= count; n += 1) await deadWithJob(bench, n)
}

async function deadWithJob(bench: ControlBench, n: number): Promise<void> {
  const runner = await bench.runner(`linux-${n}`)
  await bench.ledger.polled(runner.id)
  const handle = `${String(n).padStart(8, '0')}-1111-4111-8111-111111111111`
  await bench.ledger.claim(runner, handle, 60_000)
  await bench.ledger.minted(handle, n, bench.vault.seal('jit', handle), 60_000)
  await bench.ledger.deliver(handle, 60_000)
  await bench.ledger.sealDeath(runner.id, classifyDeath(exited), 'killed', { source: 'lifecycle' })
}

const openAttempts = ({ ledger }: ControlBench) =>
  [...ledger.rows.attempts.values()].filter(({ endedAt }) => endedAt === null).length

/** A forge whose answers take this long, and that counts the open calls. */
function slow(bench: ControlBench, ms: number) {
  const calls = { open: 0, most: 0 }
  const after = <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) => {
    return async (...args: Args): Promise<T> => {
      calls.open += 1
      calls.most = Math.max(calls.most, calls.open)
      await new Promise<void>((resolve) => bench.clock.after(ms, resolve))
      calls.open -= 1
      return call(...args)
    }
  }
  const { readJob, findRunner, removeRunner } = bench.forge
  const forge: Forge = {
    ...bench.forge,
    readJob: after(readJob),
    findRunner: after(findRunner),
    removeRunner: after(removeRunner),
  }
  return { forge, calls }
}

/** Runs the loop while the clock advances, until `holds`; returns how long that took on the bench's clock. */
async function runUntil(bench: ControlBench, forge: Forge, holds: () => boolean, atMostMs: number) {
  const stop = new AbortController()
  const { clock, entropy, log, ledger } = bench
  const deps = { clock, entropy, log, onWake: ledger.onWake, onFailure: () => undefined }
  const running = runLoop(recoveryLoop({ ...bench, forge }, tickMs), deps, stop.signal)
  const begin = clock.now()
  while (!holds() && clock.now() - begin < atMostMs) await bench.advance(stepMs)
  const tookMs = clock.now() - begin
  stop.abort()
  for (let n = 0; n < 4; n += 1) await bench.advance(forgeTimeoutMs)
  await running
  return tookMs
}

describe('the recovery loop over many subjects', () => {
  it('brings 500 jobs of dead runners to their end within 15 s where each call takes 100 ms', async () => {
    const bench = await createControlBench()
    await deadWithJobs(bench, 500)
    const { forge, calls } = slow(bench, callMs)
    const tookMs = await runUntil(bench, forge, () => openAttempts(bench) === 0, 60_000)
    expect(openAttempts(bench)).toBe(0)
    expect(tookMs).toBeLessThanOrEqual(15_000)
    expect(calls.most).toBeLessThanOrEqual(64) // GitHub allows a hundred at once
  }, 180_000)

  it('seals at once what the host alone decides, while everything that needs an unresponsive forge waits', async () => {
    const bench = await createControlBench()
    await deadWithJobs(bench, 100)
    const silent = slow(bench, forgeTimeoutMs)
    await bench.advance(10_000)
    const vanished = await bench.runner('linux-vanished')
    await bench.ledger.polled(vanished.id)
    await bench.ledger.postpone({ kind: 'runner', id: vanished.id }, 2_000)
    const isSealed = () => bench.ledger.rows.runners.get(vanished.id)?.endedAt !== null
    const tookMs = await runUntil(bench, silent.forge, isSealed, forgeTimeoutMs)
    expect(isSealed()).toBe(true)
    expect(tookMs).toBeLessThanOrEqual(2_000 + tickMs + stepMs)
  })

  it('is not held up by a runner whose own attempt waits for an unresponsive forge', async () => {
    const bench = await createControlBench()
    await bench.queue()
    const runner = await bench.runner()
    await bench.ledger.polled(runner.id)
    const handle = '00000001-1111-4111-8111-111111111111'
    await bench.ledger.claim(runner, handle, 1_000)
    await bench.advance(1_000)
    await bench.ledger.postpone({ kind: 'runner', id: runner.id }, 2_000)
    const silent = slow(bench, forgeTimeoutMs)
    const isSealed = () => bench.ledger.rows.runners.get(runner.id)?.endedAt !== null
    const tookMs = await runUntil(bench, silent.forge, isSealed, forgeTimeoutMs)
    expect(isSealed()).toBe(true)
    expect(tookMs).toBeLessThanOrEqual(2_000 + tickMs + stepMs)
  })

  it('continues with the others where one look fails, and reports the failure', async () => {
    const bench = await createControlBench()
    await deadWithJobs(bench, 3)
    await bench.advance(10_000)
    const forge: Forge = {
      ...bench.forge,
      readJob: (scope, id, signal) =>
        scope.repository === 'acme/app-2'
          ? Promise.reject(new HoldfastError('E_BUG', { what: 'poison' }))
          : bench.forge.readJob(scope, id, signal),
    }
    const loop = recoveryLoop({ ...bench, forge }, tickMs)
    await loop.pass(never)
    for (let n = 0; n < 20; n += 1) await bench.advance(0)
    expect(openAttempts(bench)).toBe(1)
    expect(await bench.ledger.incidents(0)).toMatchObject([{ kind: 'look-failed', closedAt: null }])
    expect((await bench.ledger.incidents(0))[0]?.reason).toMatch(/poison/)
  })
})
