import { describe, expect, it } from 'vitest'
import { classifyDeath } from './classify.ts'
import type { ContainerEnd, Ending, PodEnd, PodEvent } from './ending.ts'
import type { HostSamples } from './host-samples.ts'
import { aHostSamples, anEnd, aPodEnd, aRunnerEnd, endedAt } from './testing.ts'

const event = (reason: string, message: string, over: Partial<PodEvent> = {}): PodEvent => ({
  type: 'Warning',
  reason,
  message,
  count: 1,
  firstAt: endedAt - 2_000,
  lastAt: endedAt - 2_000,
  ...over,
})
const judge = (pod: Partial<PodEnd>, over: Partial<Ending> = {}, runner: Partial<ContainerEnd> = {}) =>
  classifyDeath(
    anEnd({
      exitCode: 137,
      pod: aPodEnd({ containers: [aRunnerEnd({ exitCode: 137, finishedAt: endedAt, ...runner })], ...pod }),
      ...over,
    }),
  )

describe('the reason for which the kubelet killed a container', () => {
  it.each([
    ['Container runner failed liveness probe', 'probe-failed'],
    ['Container runner failed startup probe', 'probe-failed'],
    ['FailedPostStartHook', 'hook-failed'],
  ] as const)('%s is %s', (message, expected) => {
    expect(judge({ events: [event('Killing', message, { type: 'Normal' })] })).toMatchObject({
      class: expected,
      confidence: 'likely',
    })
  })

  it('comes with the output of the probe or the hook', () => {
    const probe = event('Unhealthy', 'Liveness probe failed: HTTP probe failed with statuscode: 500')
    const killing = event('Killing', 'Container runner failed liveness probe')
    expect(judge({ events: [probe, killing] }).because.join()).toContain('statuscode: 500')
    const hook = event('FailedPostStartHook', 'PostStartHook failed')
    expect(judge({ events: [hook] })).toMatchObject({ class: 'hook-failed', confidence: 'likely' })
  })

  it('is not the end of a runner where it was another container, or long before', () => {
    const other = event('Killing', 'Container dind failed liveness probe')
    expect(judge({ events: [other] }).class).toBe('sigkill-unknown')
    const named = event('Killing', 'FailedPostStartHook', { container: 'dind' })
    expect(judge({ events: [named] }).class).toBe('sigkill-unknown')
    const old = event('Killing', 'Container runner failed liveness probe', { lastAt: endedAt - 600_000 })
    expect(judge({ events: [old] }).class).toBe('sigkill-unknown')
    expect(judge({ events: [event('Unhealthy', 'Liveness probe failed: once')] }).class).toBe(
      'sigkill-unknown',
    )
  })

  it('mentions a preStop hook that failed, which is not why the runner ended', () => {
    const events = [event('FailedPreStopHook', 'PreStopHook failed')]
    const record = judge({ events, deletedAt: endedAt - 5_000 })
    expect(record.class).toBe('deleted')
    expect(record.because.join()).toContain('PreStopHook failed')
  })
})

describe('a further fact about an end', () => {
  it('is another container that ended at the same time, where nobody asked them to stop', () => {
    const dind = aRunnerEnd({ name: 'dind', exitCode: 137, finishedAt: endedAt - 1_000 })
    const containers = [aRunnerEnd({ exitCode: 137, finishedAt: endedAt }), dind]
    expect(judge({ containers }).because.join()).toContain(
      'Its container dind ended at the same time, with exit code 137',
    )
    expect(judge({ containers, deletedAt: endedAt - 5_000 }).because.join()).not.toContain('same time')
    const later = [containers[0] as ContainerEnd, { ...dind, finishedAt: endedAt + 9_000 }]
    expect(judge({ containers: later }).because.join()).not.toContain('same time')
  })

  it('is a volume in memory, where memory was the cause', () => {
    const memoryVolumes = [
      { name: 'work', sizeLimitBytes: 2 ** 28 },
      { name: 'handed-over', sizeLimitBytes: 2 ** 20 },
    ]
    const oom = judge({ memoryVolumes }, {}, { reason: 'OOMKilled' })
    expect(oom.because.join()).toContain(
      'Its volume work lies in memory (up to 256 MiB), and what is written there counts',
    )
    expect(oom.because.join()).not.toContain('handed-over')
    expect(judge({ memoryVolumes }).because.join()).not.toContain('lies in memory')
  })

  it('is the owner of a deleted pod: the garbage collector deletes the pod after its owner', () => {
    const owners = [{ kind: 'RunnerPool', name: 'linux' }]
    expect(judge({ owners, deletedAt: endedAt - 5_000 })).toMatchObject({ class: 'deleted' })
    expect(judge({ owners, deletedAt: endedAt - 5_000 }).because.join()).toContain('RunnerPool linux')
    const invalid = event(
      'OwnerRefInvalidNamespace',
      'ownerRef [v1/ConfigMap, name: x] does not exist in namespace "ci"',
    )
    const collected = judge({ owners, events: [invalid], deletedAt: endedAt - 5_000 })
    expect(collected.because.join()).toContain('garbage collector')
  })
})

describe('a runner that could start no more processes', () => {
  it.each([
    "sh: can't fork: Resource temporarily unavailable",
    'bash: fork: retry: Resource temporarily unavailable',
    'pthread_create failed: Resource temporarily unavailable',
    'runtime: failed to create new OS thread (have 12 already; errno=11)',
  ])('says so in its log: %s', (line) => {
    expect(judge({}, { exitCode: 1, tail: `${line}\n` }, { exitCode: 1 })).toMatchObject({
      class: 'pids-limit',
      confidence: 'likely',
    })
    expect(judge({}, { exitCode: 0, tail: `${line}\n` }, { exitCode: 0 }).class).toBe('clean')
  })

  const refusedFrom = (secondsAgo: number, forksRefused = 3): HostSamples =>
    aHostSamples({
      samples: aHostSamples({}, { processesMax: 20 }).samples.map((sample) =>
        sample.at < endedAt - secondsAgo * 1_000 ? sample : { ...sample, forksRefused },
      ),
    })
  const seen = (ring: HostSamples | null, tail = '', exitCode = 1) =>
    classifyDeath(anEnd({ exitCode, tail, pod: aPodEnd({}) }), { job: null, ring })

  it('is found by the agent whatever its log says, likely: a program that is refused a process may live on', () => {
    const verdict = seen(refusedFrom(4))
    expect(verdict).toMatchObject({ class: 'pids-limit', confidence: 'likely' })
    expect(verdict.because.join()).toContain('3 times in its last half minute, with a limit of 20')
    expect(seen(refusedFrom(4), '', 0).class).toBe('clean')
  })

  it.each([
    ['was refused one long before', refusedFrom(90)],
    ['had been refused one before the agent came', refusedFrom(1_000)],
    ['was refused none', aHostSamples()],
    ['was watched by an older agent', refusedFrom(4, Number.NaN)],
  ])('is not one that %s and ended with 1 in silence', (_, ring) => {
    const samples = ring.samples.map(({ forksRefused, ...older }) =>
      Number.isNaN(forksRefused) ? older : { ...older, forksRefused },
    )
    expect(seen({ ...ring, samples }).class).toBe('failed')
  })

  it('gets the count of the kernel where only its log speaks of it', () => {
    const line = "sh: can't fork: Resource temporarily unavailable\n"
    expect(seen(refusedFrom(90), line).because.join()).toContain('3 times, but 90 s and more before its end')
    expect(seen(aHostSamples(), line).because.join()).toContain('no process refused by the limit of its pod')
    expect(seen(null, line).because.join()).not.toContain('refused it')
  })
})
