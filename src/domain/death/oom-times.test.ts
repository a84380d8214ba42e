import { describe, expect, it } from 'vitest'
import { classifyDeath } from './classify.ts'
import type { Ending } from './ending.ts'
import type { HostSamples } from './host-samples.ts'
import { aHostSample, aHostSamples, anEnd, aPodEnd, aRunnerEnd, endedAt } from './testing.ts'

const line = (at: number) => ({ at, line: 'oom-kill:constraint=CONSTRAINT_MEMCG,oom_memcg=/kubepods/pod1' })
const oomKilled = {
  exitCode: 137,
  pod: aPodEnd({ containers: [aRunnerEnd({ reason: 'OOMKilled', exitCode: 137 })] }),
}
const judge = (ring: HostSamples | null, over: Partial<Ending> = {}) =>
  classifyDeath(anEnd({ ...oomKilled, ...over }), { job: null, ring })
/** One sample each second; the kernel counts a kill so long before the end. */
const counted = (killAgoMs: number, memoryBytes = 1, over: Partial<HostSamples> = {}) =>
  aHostSamples({
    samples: Array.from({ length: 100 }, (_, place) => endedAt - (98 - place) * 1_000).map((at) =>
      aHostSample({ at, oomKills: at >= endedAt - killAgoMs ? 1 : 0, memoryBytes, memoryLimitBytes: 100 }),
    ),
    ...over,
  })

describe('a container that the kubelet calls OOMKilled', () => {
  it('was killed for memory where the kernel wrote of it, or counted it, as it ended', () => {
    for (const ring of [aHostSamples({ oomLines: [line(endedAt + 400)] }), counted(1_000), counted(0)]) {
      expect(judge(ring)).toMatchObject({ class: 'container-oom', confidence: 'proven' })
    }
  })

  it('was killed by somebody else where the OOM kill was long before its end, and mentions the older kill', () => {
    for (const ring of [
      aHostSamples({ oomLines: [line(endedAt - 60_000)] }, { oomKills: 1 }),
      counted(45_000),
      counted(8_000),
    ]) {
      const record = judge(ring)
      expect(record).toMatchObject({ class: 'sigkill-unknown', confidence: 'likely' })
      expect(record.because.join()).toMatch(/for memory.*\d+ s before its end/)
    }
  })

  it('may have been either where the time of the kill is unknown, and says so', () => {
    const record = judge(null)
    expect(record).toMatchObject({ class: 'container-oom', confidence: 'likely' })
    expect(record.unknown.join()).toContain('when something in it was killed for memory')
  })

  it('may have been either where the samples have a gap before the end', () => {
    const samples = [
      aHostSample({ at: endedAt - 60_000, oomKills: 0 }),
      aHostSample({ at: endedAt + 1_000, oomKills: 1 }),
    ]
    expect(judge(aHostSamples({ samples }))).toMatchObject({ class: 'container-oom', confidence: 'likely' })
  })

  it('may have been killed for memory again where an older kill is known, and it was near its limit at the end', () => {
    // Version 1 of cgroups forgets the last count with the group: the kill at the end may not be in it.
    const near = counted(45_000, 97)
    const ring = { ...near, samples: near.samples.filter(({ at }) => at < endedAt) }
    expect(judge(ring)).toMatchObject({ class: 'container-oom', confidence: 'likely' })
  })
})

describe('a process whose group counted a kill for memory', () => {
  const group = {
    exitCode: 137,
    signal: 'SIGKILL',
    pod: null,
    oomKills: 1,
    memoryPeakBytes: 99,
    memoryLimitBytes: 100,
  }
  const sample = (agoMs: number, memoryBytes: number) => ({
    at: endedAt - agoMs,
    memoryBytes,
    cpuMs: 1,
    processes: 1,
  })

  it('was killed by somebody else where it used little of its memory as it ended', () => {
    const samples = [sample(30_000, 98), sample(1_500, 10), sample(500, 10)]
    const record = judge(null, { ...group, samples })
    expect(record).toMatchObject({ class: 'sigkill-unknown', confidence: 'likely' })
    expect(record.because.join()).toContain('an older one')
  })

  it('was killed for memory where it was near its limit, likely: the count has no time', () => {
    expect(judge(null, { ...group, samples: [sample(500, 97)] })).toMatchObject({
      class: 'container-oom',
      confidence: 'likely',
    })
  })
})
