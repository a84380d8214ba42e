import { describe, expect, it } from 'vitest'
import {
  type ControlBench,
  createControlBench,
  exited,
  never,
} from '../../../../test/support/control-bench.ts'
import { aPodEnd } from '../../../domain/death/testing.ts'
import type { HostedRunner } from '../../../ports/runner-host.ts'
import { lifecycleLoop } from './index.ts'

const minuteMs = 60_000
const name = 'linux-0001'
const failing = () => Promise.reject(new Error('no log'))
const hanging = () => new Promise<never>(() => {})

/** A bench with a runner that ended, and a loop that is subscribed. */
async function afterAnEnd(over: Partial<HostedRunner> = {}) {
  const bench = await createControlBench()
  const runner = await bench.runner(name)
  bench.host.runners.set(name, 'exited')
  bench.host.facts.set(name, over)
  return { bench, runner, pass: passOf(bench) }
}

/** A pass of another process of Holdfast, without state. */
function passOf(bench: ControlBench) {
  const loop = lifecycleLoop({ ...bench, resyncEveryMs: 24 * 60 * minuteMs })
  loop.subscribe?.(() => undefined)
  return () => loop.pass(never)
}

const recordOf = ({ ledger }: ControlBench) => ledger.rows.evidence.get(1)?.record
const linesOf = ({ log }: ControlBench, message: string) =>
  log.lines.filter((line) => line.message === message)

describe('the evidence deadline', () => {
  it('counts from the end of the runner, by the host’s own facts', async () => {
    const { bench, pass } = await afterAnEnd({ exitedAt: Date.UTC(2026, 0, 1) - 50_000 })
    bench.host.ending = failing
    await pass()
    await bench.advance(5_000)
    await pass()
    expect(bench.host.calls).toEqual([])
    await bench.advance(5_000)
    await pass()
    expect(bench.host.calls).toEqual([`release ${name}`])
    expect(recordOf(bench)).toMatchObject({ outcome: 'incomplete', rule: 'unreadable', ending: null })
  })

  it('is not started again by a restart, which reads once more', async () => {
    const { bench, pass } = await afterAnEnd({ exitedAt: Date.UTC(2026, 0, 1) })
    bench.host.ending = failing
    await pass()
    await bench.advance(minuteMs)
    await passOf(bench)()
    expect(bench.host.calls).toEqual([`release ${name}`])
  })

  it('does not keep a restart from reading an end that happened while no process ran', async () => {
    const { bench, pass } = await afterAnEnd({ exitedAt: Date.UTC(2026, 0, 1) - 24 * 60 * minuteMs })
    await pass()
    expect(recordOf(bench)).toMatchObject({ outcome: 'complete', ending: { exitCode: 137 } })
  })

  it('is not prolonged by a clock that is ahead', async () => {
    const { bench, pass } = await afterAnEnd({ exitedAt: Date.UTC(2027, 0, 1) })
    bench.host.ending = failing
    await pass()
    await bench.advance(minuteMs)
    await pass()
    expect(bench.host.calls).toEqual([`release ${name}`])
  })

  it('is set by the pool', async () => {
    const { bench, pass } = await afterAnEnd()
    bench.host.evidenceDeadlineMs = (pool) => (pool === 'linux' ? 3_000 : minuteMs)
    bench.host.ending = failing
    await pass()
    await bench.advance(3_000)
    await pass()
    expect(recordOf(bench)).toMatchObject({ because: [expect.stringContaining('in 3 s: no log')] })
  })

  it('ends the wait for a host that never answers, and no other runner waits for it', async () => {
    const { bench, pass } = await afterAnEnd()
    const other = await bench.runner('linux-0002')
    bench.host.runners.set(other.name, 'exited')
    const { ending } = bench.host
    bench.host.ending = (of) => (of === name ? hanging() : ending(of))
    for (let tries = 0; tries < 5; tries += 1) {
      const passing = pass()
      await bench.advance(0)
      await bench.advance(15_000)
      await passing
      await bench.advance(5_000)
      if (tries === 0) expect(bench.host.calls).toEqual(['release linux-0002'])
    }
    expect(bench.host.calls).toEqual(['release linux-0002', `release ${name}`])
    expect(bench.metrics.counts.get('holdfast_evidence_failures_total{ending}')).toBeGreaterThan(1)
  })
})

describe('the facts about an end that its host does not have', () => {
  it('are in the record: the job with the forge’s conclusion, and the samples of the node’s agent', async () => {
    const { bench, runner, pass } = await afterAnEnd()
    const ring = { podUid: name, node: 'here', samples: [], oomLines: [], endedAt: 5, missing: [] }
    await bench.ledger.putHostSamples({ ...ring, lastSampleAgeMs: null })
    const jobId = await bench.queue()
    await bench.ledger.polled(runner.id)
    await bench.ledger.claim(runner, '00000001-0000-4000-8000-000000000000', minuteMs)
    await pass()
    expect(recordOf(bench)).toMatchObject({
      job: { jobId, repository: 'acme/web', attemptState: 'claimed', forgeStatus: 'queued' },
      ring: { node: 'here', endedAt: 5 },
    })
  })

  it('are found by the pod and its node, where it was a pod', async () => {
    const { bench } = await afterAnEnd()
    const requests: unknown[] = []
    bench.host.ending = async () => ({ ...exited, pod: aPodEnd() })
    const hostSamples: typeof bench.ledger.hostSamples = async (of) => {
      requests.push(of)
      return null
    }
    await passOf({ ...bench, ledger: { ...bench.ledger, hostSamples } })()
    expect(requests).toEqual([{ podUid: 'uid-1', node: aPodEnd().place.node }])
  })

  it.each([
    [
      'as it is after the host was read, where that took long: the forge may have reported its end',
      600,
      'success',
    ],
    ['read once, where that was quick', 100, null],
  ])('have the job %s', async (_, tookMs, conclusion) => {
    const { bench, runner } = await afterAnEnd()
    await bench.queue()
    await bench.ledger.polled(runner.id)
    await bench.ledger.claim(runner, '00000001-0000-4000-8000-000000000000', minuteMs)
    let isRead = false
    const jobAtEnd: typeof bench.ledger.jobAtEnd = async (id) => {
      const job = await bench.ledger.jobAtEnd(id)
      return job && isRead ? { ...job, forgeStatus: 'completed', conclusion: 'success' } : job
    }
    bench.host.ending = async () => {
      await bench.advance(tookMs)
      isRead = true
      return exited
    }
    await passOf({ ...bench, ledger: { ...bench.ledger, jobAtEnd } })()
    expect(recordOf(bench)).toMatchObject({ job: { conclusion } })
  })

  it.each([
    ['fails', failing],
    ['never answers', hanging],
  ])('do not block the seal where reading them %s: that is recorded and counted', async (_, broken) => {
    const { bench } = await afterAnEnd()
    const ledger = { ...bench.ledger, jobAtEnd: broken, hostSamples: broken }
    const passing = passOf({ ...bench, ledger })()
    await bench.advance(0)
    await bench.advance(5_000)
    await passing
    expect(bench.host.calls).toEqual([`release ${name}`])
    const missing = [expect.stringContaining('its job'), expect.stringContaining('its host samples')]
    expect(recordOf(bench)).toMatchObject({
      outcome: 'incomplete',
      job: null,
      ring: null,
      ending: { missing },
    })
    const { counts } = bench.metrics
    expect(counts.get('holdfast_evidence_failures_total{job}')).toBe(1)
    expect(counts.get('holdfast_evidence_failures_total{ring}')).toBe(1)
  })
})

describe('the death record of a runner', () => {
  it('is sealed and logged once by two controllers at the same time', async () => {
    const { bench, pass } = await afterAnEnd()
    await Promise.all([pass(), passOf(bench)()])
    expect(bench.ledger.rows.evidence.size).toBe(1)
    expect(linesOf(bench, 'runner process ended')).toHaveLength(1)
    expect(linesOf(bench, 'runner death log captured')).toHaveLength(1)
    expect(bench.metrics.counts.get('holdfast_deaths_total{sigkill-unknown}')).toBe(1)
  })

  it('is sealed and logged once where the release failed and is repeated, also by another process', async () => {
    const { bench, pass } = await afterAnEnd()
    const { release } = bench.host
    bench.host.release = () => Promise.reject(new Error('the host is away'))
    await pass()
    bench.host.release = release
    await passOf(bench)()
    expect(bench.ledger.rows.evidence.size).toBe(1)
    expect(linesOf(bench, 'runner process ended')).toHaveLength(1)
    expect(bench.host.calls).toEqual([`release ${name}`])
  })

  it('is sealed once where a runner dies twice at once: each change is reported while the first is worked on', async () => {
    const { bench, pass } = await afterAnEnd()
    const gate = Promise.withResolvers<void>()
    bench.host.ending = async () => {
      await gate.promise
      return exited
    }
    const passing = pass()
    await bench.advance(0)
    bench.host.change(name)
    bench.host.change(name)
    gate.resolve()
    await passing
    await pass()
    expect(bench.ledger.rows.evidence.size).toBe(1)
    expect(linesOf(bench, 'runner process ended')).toHaveLength(1)
  })
})
