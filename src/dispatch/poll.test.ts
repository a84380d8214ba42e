import { describe, expect, it } from 'vitest'
import { type ControlBench, cause, createControlBench, never } from '../../test/support/control-bench.ts'
import { aPool } from '../../test/support/rows.ts'
import { HoldfastError } from '../domain/errors/index.ts'
import type { Forge, MintRefused } from '../ports/forge.ts'
import { createWaiters, type DispatchDeps, poll } from './index.ts'

const settings = { pollMs: 30_000, mintDeadlineMs: 20_000, registerDeadlineMs: 60_000, mintFailuresMax: 2 }
const silence = () =>
  Promise.reject(new HoldfastError('E_FORGE_UNAVAILABLE', { call: 'mint', why: 'a test' }))

const refusal: MintRefused = {
  kind: 'refused',
  concerns: 'repository',
  reason: 'no',
  retryAfterMs: null,
  incident: null,
}

function dispatchOf(bench: ControlBench, forge: Partial<Forge> = {}): DispatchDeps {
  return {
    ...bench,
    forge: { ...bench.forge, ...forge },
    settings,
    waiters: createWaiters(bench.ledger, bench.clock, bench.log),
    shutdown: never,
  }
}

/** A poll that finds no job looks again every few seconds until its time is over. */
async function patiently<T>(bench: ControlBench, waiting: Promise<T>): Promise<T> {
  for (let ms = 0; ms <= settings.pollMs; ms += 1_000) await bench.advance(1_000)
  return waiting
}

describe('a poll', () => {
  it('returns a job with its JIT, stored as delivered before it is answered', async () => {
    const bench = await createControlBench()
    const jobId = await bench.queue()
    const answer = await poll(await bench.runner(), dispatchOf(bench), never)
    expect(answer).toMatchObject({ kind: 'job', jobId })
    expect(bench.ledger.rows.attempts.get(1)).toMatchObject({ state: 'delivered', jobId })
  })

  it('returns the same attempt and the same JIT when it is repeated (I2)', async () => {
    const bench = await createControlBench()
    await bench.queue()
    await bench.queue()
    const runner = await bench.runner()
    const first = await poll(runner, dispatchOf(bench), never)
    const again = await poll(runner, dispatchOf(bench), never)
    expect(again).toEqual(first)
    expect(bench.ledger.rows.attempts.size).toBe(1)
  })

  it('does not give the JIT of one runner to another', async () => {
    const bench = await createControlBench()
    await bench.queue()
    await poll(await bench.runner('linux-0001'), dispatchOf(bench), never)
    const other = poll(await bench.runner('linux-0002'), dispatchOf(bench), never)
    expect(await patiently(bench, other)).toEqual({ kind: 'nothing' })
  })

  it('waits for a job, and is woken when one is enqueued', async () => {
    const bench = await createControlBench()
    const waiting = poll(await bench.runner(), dispatchOf(bench), never)
    await bench.advance(1)
    await bench.queue()
    expect(await waiting).toMatchObject({ kind: 'job' })
  })

  it('ends without a job when its time is over', async () => {
    const bench = await createControlBench()
    const waiting = poll(await bench.runner(), dispatchOf(bench), never)
    expect(await patiently(bench, waiting)).toEqual({ kind: 'nothing' })
  })

  it('costs the ledger one heartbeat for all waiters when it is repeated after its time', async () => {
    const bench = await createControlBench()
    const calls: string[] = []
    const counted = <Name extends 'polled' | 'openAttempt' | 'claim' | 'waiting'>(name: Name) => ({
      [name]: (...given: never[]) => {
        calls.push(name)
        return (bench.ledger[name] as (...all: never[]) => unknown)(...given)
      },
    })
    const ledger = {
      ...bench.ledger,
      ...counted('polled'),
      ...counted('openAttempt'),
      ...counted('claim'),
      ...counted('waiting'),
    }
    const deps = {
      ...dispatchOf({ ...bench, ledger }),
      waiters: createWaiters(ledger, bench.clock, bench.log),
    }
    const runner = await bench.runner()
    expect(await patiently(bench, poll(runner, deps, never))).toEqual({ kind: 'nothing' })
    expect(calls).toEqual(['polled', 'openAttempt', 'claim', 'waiting'])
    expect(await patiently(bench, poll(runner, deps, never))).toEqual({ kind: 'nothing' })
    expect(calls.splice(0)).toEqual(['polled', 'openAttempt', 'claim', 'waiting', 'waiting'])
    const third = poll(runner, deps, never)
    await bench.advance(1)
    await bench.queue()
    expect(await third).toMatchObject({ kind: 'job' })
  })

  it('looks at the queue again where a job was enqueued between two polls', async () => {
    const bench = await createControlBench()
    const deps = dispatchOf(bench)
    const runner = await bench.runner()
    await patiently(bench, poll(runner, deps, never))
    await bench.queue()
    expect(await poll(runner, deps, never)).toMatchObject({ kind: 'job' })
  })

  it('sends a runner away that was fenced between two polls', async () => {
    const bench = await createControlBench()
    const deps = dispatchOf(bench)
    const runner = await bench.runner()
    await patiently(bench, poll(runner, deps, never))
    await bench.ledger.fence(runner.id, 'a test', { source: 'operator' })
    expect(await poll(runner, deps, never)).toEqual({ kind: 'leave' })
  })

  it('ends within a second, to be repeated, where the runner was given a job by another process', async () => {
    const bench = await createControlBench()
    const deaf = { ...bench.ledger, onWake: () => () => undefined }
    const deps = { ...dispatchOf(bench), waiters: createWaiters(deaf, bench.clock, bench.log) }
    const runner = await bench.runner()
    await patiently(bench, poll(runner, deps, never))
    const waiting = poll(runner, deps, never)
    const jobId = await bench.queue()
    const claimed = await bench.ledger.claim(runner, '00000000-0000-4000-8000-000000000000', 60_000)
    expect(claimed).toMatchObject({ kind: 'claimed', claim: { job: { id: jobId } } })
    await bench.advance(1_000)
    expect(await waiting).toEqual({ kind: 'nothing' })
    expect(deps.waiters.recent(runner.name)).toBeNull()
  })

  it('sends a fenced runner away', async () => {
    const bench = await createControlBench()
    const runner = await bench.runner()
    await bench.ledger.fence(runner.id, 'a test', { source: 'operator' })
    expect(await poll(runner, dispatchOf(bench), never)).toEqual({ kind: 'leave' })
  })

  it('mints in the group of the pool, and in that of the settings where the pool names none', async () => {
    const bench = await createControlBench()
    const groups: (string | undefined)[] = []
    const mint: typeof bench.forge.mint = (request, signal) => {
      groups.push(request.runnerGroup)
      return bench.forge.mint({ ...request, runnerGroup: undefined }, signal)
    }
    for (const runnerGroup of [undefined, 'Fast']) {
      await bench.ledger.putPools([aPool({ runnerGroup })], cause)
      await bench.queue()
      expect(
        await poll(await bench.runner(`linux-of-${runnerGroup}`), dispatchOf(bench, { mint }), never),
      ).toMatchObject({
        kind: 'job',
      })
    }
    expect(groups).toEqual([undefined, 'Fast'])
  })

  it('tries the next job when the forge refuses one, and requeues that one with a delay', async () => {
    const bench = await createControlBench()
    const broken = await bench.queue('acme/broken')
    const sound = await bench.queue('acme/web')
    const answer = await poll(
      await bench.runner(),
      dispatchOf(bench, {
        mint: async (request, signal) =>
          request.scope.repository === 'acme/broken'
            ? {
                kind: 'refused',
                concerns: 'repository',
                reason: 'not installed',
                retryAfterMs: null,
                incident: null,
              }
            : bench.forge.mint(request, signal),
      }),
      never,
    )
    expect(answer).toMatchObject({ kind: 'job', jobId: sound })
    expect(bench.ledger.rows.jobs.get(broken)).toMatchObject({ state: 'queued', mintFailures: 1 })
    expect((await bench.ledger.queueFacts(broken))?.hold).toMatchObject({ key: 'acme/broken' })
  })

  it('quarantines a job that the forge refused too often, with the reason', async () => {
    const bench = await createControlBench()
    const jobId = await bench.queue()
    const refuses = dispatchOf(bench, {
      mint: async () => ({ ...refusal, concerns: 'job', reason: 'name is odd' }),
    })
    const runner = await bench.runner()
    for (let turn = 0; turn < settings.mintFailuresMax; turn += 1) {
      await patiently(bench, poll(runner, refuses, never))
    }
    expect(bench.ledger.rows.jobs.get(jobId)?.quarantine).toContain('name is odd')
    expect(bench.metrics.counts.get('holdfast_jobs_given_up_total{linux}')).toBe(1)
  })

  it.each([
    ['concerns the whole account', { ...refusal, concerns: 'account', reason: 'API rate limit exceeded' }],
    [
      'our own pace puts off',
      { ...refusal, concerns: 'account', reason: "it waits for the forge's limit", retryAfterMs: 20_000 },
    ],
    ['only a person can lift', { ...refusal, incident: 'runners-disabled' }],
  ] as const)('never quarantines a job for what %s', async (_, answer) => {
    const bench = await createControlBench()
    const jobId = await bench.queue()
    let mints = 0
    const refuses = dispatchOf(bench, {
      async mint() {
        mints += 1
        return answer
      },
    })
    const runner = await bench.runner()
    for (let turn = 0; turn <= settings.mintFailuresMax + 1; turn += 1) {
      await patiently(bench, poll(runner, refuses, never))
      await bench.advance(15 * 60_000)
    }
    expect(mints).toBeGreaterThan(settings.mintFailuresMax)
    const untouched = { state: 'queued', quarantine: null, mintFailures: 0 }
    expect(bench.ledger.rows.jobs.get(jobId)).toMatchObject(untouched)
  })

  it('reports once what only a person can lift, and retries slowly until it is lifted', async () => {
    const bench = await createControlBench()
    await bench.queue()
    let mints = 0
    let isBroken = true
    const deps = dispatchOf(bench, {
      async mint(request, signal) {
        mints += 1
        return isBroken ? { ...refusal, incident: 'runners-disabled' } : bench.forge.mint(request, signal)
      },
    })
    const runner = await bench.runner()
    await patiently(bench, poll(runner, deps, never))
    await patiently(bench, poll(runner, deps, never))
    expect(mints).toBe(1)
    await bench.advance(10 * 60_000)
    await patiently(bench, poll(runner, deps, never))
    expect(mints).toBe(2)
    const errors = bench.log.lines.filter(({ level }) => level === 'error')
    expect(errors).toMatchObject([{ fields: { incident: 'runners-disabled', todo: expect.any(String) } }])
    expect(bench.metrics.counts.get('holdfast_incidents_total{runners-disabled}')).toBe(1)
    isBroken = false
    await bench.advance(10 * 60_000)
    expect(await poll(runner, deps, never)).toMatchObject({ kind: 'job' })
    expect(await bench.ledger.incidents(1)).toMatchObject([
      { kind: 'runners-disabled', closedAt: expect.any(Number) },
    ])
  })

  it('waits as long as the forge asks when its limit is spent', async () => {
    const bench = await createControlBench()
    const jobId = await bench.queue()
    const deps = dispatchOf(bench, {
      mint: async () => ({ ...refusal, concerns: 'account', retryAfterMs: 20 * 60_000 }),
    })
    await patiently(bench, poll(await bench.runner(), deps, never))
    const until = bench.ledger.rows.jobs.get(jobId)?.notBefore ?? 0
    expect(until - bench.clock.now()).toBeGreaterThan(19 * 60_000)
  })

  it('leaves a mint to recovery when its runner is not in the lists yet, so that it is never leaked', async () => {
    const bench = await createControlBench()
    const jobId = await bench.queue()
    const deps = dispatchOf(bench, {
      async mint(request, signal) {
        await bench.forge.mint(request, signal)
        return silence()
      },
      findRunner: async () => null,
    })
    await patiently(bench, poll(await bench.runner(), deps, never))
    expect(bench.ledger.rows.jobs.get(jobId)?.state).toBe('claimed')
  })

  it('finds the runner of a mint whose answer was lost, removes it and requeues the job', async () => {
    const bench = await createControlBench()
    const jobId = await bench.queue()
    const waiting = poll(
      await bench.runner(),
      dispatchOf(bench, {
        async mint(request, signal) {
          await bench.forge.mint(request, signal)
          return silence()
        },
      }),
      never,
    )
    expect(await patiently(bench, waiting)).toEqual({ kind: 'nothing' })
    expect(bench.core.runners('acme/web')).toEqual([])
    expect(bench.ledger.rows.jobs.get(jobId)).toMatchObject({ state: 'queued', quarantine: null })
  })

  it('leaves a mint to recovery when the forge does not answer at all', async () => {
    const bench = await createControlBench()
    const jobId = await bench.queue()
    const waiting = poll(
      await bench.runner(),
      dispatchOf(bench, { mint: silence, findRunner: silence }),
      never,
    )
    expect(await patiently(bench, waiting)).toEqual({ kind: 'nothing' })
    expect(bench.ledger.rows.jobs.get(jobId)?.state).toBe('claimed')
  })

  it('does not count earlier outages of the forge against a job that it refuses once', async () => {
    const bench = await createControlBench()
    const jobId = await bench.queue()
    const silences = 2 * settings.mintFailuresMax
    let mints = 0
    const deps = dispatchOf(bench, {
      async mint(request, signal) {
        mints += 1
        if (mints === silences + 1) return { ...refusal, concerns: 'job' }
        const minted = await bench.forge.mint(request, signal)
        return mints <= silences ? silence() : minted
      },
    })
    const runner = await bench.runner()
    while (mints <= silences) {
      await patiently(bench, poll(runner, deps, never))
      await bench.advance(5 * 60_000)
    }
    expect(bench.ledger.rows.jobs.get(jobId)).toMatchObject({ quarantine: null, mintFailures: 1 })
  })

  it('makes a runner whose mint is under way wait, and polls the ledger with back-off', async () => {
    const bench = await createControlBench()
    await bench.queue()
    const runner = await bench.runner()
    await bench.ledger.polled(runner.id)
    await bench.ledger.claim(runner, '00000000-0000-4000-8000-000000000000', 60_000)
    let reads = 0
    const counting: DispatchDeps['ledger'] = {
      ...bench.ledger,
      openAttempt(runnerId) {
        reads += 1
        return bench.ledger.openAttempt(runnerId)
      },
    }
    let answered = false
    const waiting = poll(runner, { ...dispatchOf(bench), ledger: counting }, never).finally(() => {
      answered = true
    })
    await bench.advance(settings.pollMs - 1_000)
    expect(answered).toBe(false)
    expect(await patiently(bench, waiting)).toEqual({ kind: 'nothing' })
    expect(reads).toBeLessThan(15)
  })

  it('gives a waiting runner its configuration once it is minted', async () => {
    const bench = await createControlBench()
    const jobId = await bench.queue()
    const runner = await bench.runner()
    const deps = dispatchOf(bench)
    const handle = '00000000-0000-4000-8000-000000000000'
    await bench.ledger.polled(runner.id)
    await bench.ledger.claim(runner, handle, 60_000)
    const waiting = poll(runner, deps, never)
    await bench.advance(1_000)
    await bench.ledger.minted(handle, 7, bench.vault.seal('jit', handle), 60_000)
    await bench.advance(5_000)
    expect(await waiting).toEqual({ kind: 'job', handle, jit: 'jit', jobId })
  })

  it('releases a waiting runner at once when it hangs up', async () => {
    const bench = await createControlBench()
    await bench.queue()
    const runner = await bench.runner()
    await bench.ledger.polled(runner.id)
    await bench.ledger.claim(runner, '00000000-0000-4000-8000-000000000000', 60_000)
    const hangUp = new AbortController()
    const waiting = poll(runner, dispatchOf(bench), hangUp.signal)
    await bench.advance(1_000)
    hangUp.abort()
    expect(await waiting).toEqual({ kind: 'nothing' })
  })

  it('throws any error that is no outage of the forge', async () => {
    const bench = await createControlBench()
    await bench.queue()
    const deps = dispatchOf(bench, { mint: () => Promise.reject(new Error('a defect')) })
    await expect(poll(await bench.runner(), deps, never)).rejects.toThrow('a defect')
  })
})
