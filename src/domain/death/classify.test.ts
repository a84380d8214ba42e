import { describe, expect, it } from 'vitest'
import { anEnding, now } from '../../../test/support/rows.ts'
import { classifyDeath, deathClasses, deathRules, type Ending } from './index.ts'
import { aPodEnd, aRunnerEnd } from './testing.ts'

interface Case {
  readonly rule: string
  readonly fires: Partial<Ending>
  readonly class: string
  /** The same, but for the fact that the rule goes by. */
  readonly not: Partial<Ending>
  readonly otherwise: string
}

const killed = { signal: 'SIGKILL' }
const noImage = { kind: 'ImagePull', message: 'runner: ErrImagePull: no such image', since: now } as const
const disrupted = (reason: string) => ({ reason, message: 'in the words of the cluster' })
const cases: readonly Case[] = [
  {
    rule: 'kernel counted an OOM kill',
    fires: { ...killed, oomKills: 1 },
    class: 'container-oom',
    not: { ...killed, oomKills: 0 },
    otherwise: 'sigkill-unknown',
  },
  {
    rule: 'the kubelet says OOMKilled',
    fires: {
      exitCode: 137,
      pod: aPodEnd({ containers: [aRunnerEnd({ reason: 'OOMKilled', exitCode: 137 })] }),
    },
    class: 'container-oom',
    not: { exitCode: 137, pod: aPodEnd({ containers: [aRunnerEnd({ reason: 'Error', exitCode: 137 })] }) },
    otherwise: 'sigkill-unknown',
  },
  {
    rule: 'the kubelet evicted it',
    fires: { exitCode: 137, pod: aPodEnd({ reason: 'Evicted', message: 'The node was low on memory.' }) },
    class: 'evicted',
    not: { exitCode: 137, pod: aPodEnd({ reason: 'Other' }) },
    otherwise: 'sigkill-unknown',
  },
  {
    rule: 'the scheduler preempted it',
    fires: {
      exitCode: 143,
      pod: aPodEnd({ disruption: disrupted('PreemptionByScheduler'), deletedAt: now - 2000 }),
    },
    class: 'preempted',
    not: { exitCode: 143, pod: aPodEnd({ disruption: disrupted('Unheard'), deletedAt: now - 2000 }) },
    otherwise: 'deleted',
  },
  {
    rule: 'its node was drained',
    fires: { exitCode: 143, pod: aPodEnd({ disruption: disrupted('EvictionByEvictionAPI') }) },
    class: 'node-drained',
    not: { exitCode: 143, pod: aPodEnd({ disruption: disrupted('EvictionByNobody') }) },
    otherwise: 'terminated',
  },
  {
    rule: 'its node was lost',
    fires: { pod: aPodEnd({ disruption: disrupted('DeletionByPodGC') }) },
    class: 'node-lost',
    not: { pod: aPodEnd() },
    otherwise: 'unknown',
  },
  {
    rule: 'its pod ran past its deadline',
    fires: { exitCode: 143, pod: aPodEnd({ reason: 'DeadlineExceeded' }) },
    class: 'deadline-exceeded',
    not: { exitCode: 143, pod: aPodEnd() },
    otherwise: 'terminated',
  },
  {
    rule: 'something kept it from starting',
    fires: {
      startedAt: null,
      stopRequestedBy: 'it did not start in time',
      pod: aPodEnd({ trouble: noImage }),
    },
    class: 'never-started',
    not: { startedAt: null, stopRequestedBy: 'nobody needs it', pod: aPodEnd() },
    otherwise: 'terminated',
  },
  {
    rule: 'we asked it to stop',
    fires: { ...killed, stopRequestedBy: 'the pool shrank' },
    class: 'terminated',
    not: killed,
    otherwise: 'sigkill-unknown',
  },
  {
    rule: 'somebody deleted its pod',
    fires: { exitCode: 137, pod: aPodEnd({ deletedAt: now - 2000 }) },
    class: 'deleted',
    not: { exitCode: 137, pod: aPodEnd({ deletedAt: now }) },
    otherwise: 'sigkill-unknown',
  },
  {
    rule: 'ended by SIGTERM',
    fires: { exitCode: 143 },
    class: 'terminated',
    not: { exitCode: 142 },
    otherwise: 'failed',
  },
  {
    rule: 'ended by SIGKILL without a memory sign',
    fires: { exitCode: 137 },
    class: 'sigkill-unknown',
    not: { exitCode: 136 },
    otherwise: 'crash',
  },
  {
    rule: 'ended by a fault signal',
    fires: { signal: 'SIGSEGV' },
    class: 'crash',
    not: { signal: 'SIGHUP' },
    otherwise: 'unknown',
  },
  {
    rule: 'never started',
    fires: { startedAt: null },
    class: 'never-started',
    not: {},
    otherwise: 'unknown',
  },
  {
    rule: 'exit code 0',
    fires: { exitCode: 0 },
    class: 'clean',
    not: { exitCode: 1 },
    otherwise: 'failed',
  },
  {
    rule: 'another exit code',
    fires: { exitCode: 3 },
    class: 'failed',
    not: { exitCode: null },
    otherwise: 'unknown',
  },
]

describe('classifyDeath', () => {
  it.each(cases)('"$rule" gives $class', ({ rule, fires, class: expected }) => {
    const firing = deathRules.find((candidate) => candidate.fires(anEnding(fires)) !== null)
    expect(firing?.name).toBe(rule)
    expect(classifyDeath(anEnding(fires)).class).toBe(expected)
  })

  it.each(cases)('"$rule" does not fire without its fact', ({ rule, not, otherwise }) => {
    const silent = deathRules.find(({ name }) => name === rule)
    expect(silent?.fires(anEnding(not))).toBeNull()
    expect(classifyDeath(anEnding(not)).class).toBe(otherwise)
  })

  it('has a case here for every rule, and every class is reached', () => {
    expect(cases.map(({ rule }) => rule)).toEqual(deathRules.map(({ name }) => name))
    const reached = new Set([...cases.flatMap((one) => [one.class, one.otherwise]), 'vanished'])
    expect([...reached].sort()).toEqual([...deathClasses].sort())
  })

  it('does not call exit code 137 alone an OOM, and says what it could not read', () => {
    const record = classifyDeath(anEnding({ exitCode: 137, oomKills: null, missing: ['the memory events'] }))
    expect(record).toMatchObject({ class: 'sigkill-unknown', confidence: 'likely', outcome: 'incomplete' })
    expect(record.because.join()).toMatch(/could not be read/)
  })

  it('does not call an end with exit code 0 an OOM although a child was killed', () => {
    expect(classifyDeath(anEnding({ exitCode: 0, oomKills: 2 })).class).toBe('clean')
  })

  it('tells the exit code of a poller that failed before the runner could start', () => {
    const poller = { ...aRunnerEnd({ exitCode: 7 }), name: 'poller', isInit: true }
    const pod = aPodEnd({ containers: [poller, aRunnerEnd({ state: 'waiting', exitCode: null })] })
    const record = classifyDeath(anEnding({ startedAt: null, pod }))
    expect(record.class).toBe('never-started')
    expect(record.because.join()).toMatch(/poller ended with exit code 7/)
  })

  it('does not say that a runner never started where the kubelet lost sight of it', () => {
    const pod = aPodEnd({ containers: [aRunnerEnd({ reason: 'ContainerStatusUnknown', exitCode: 137 })] })
    expect(classifyDeath(anEnding({ startedAt: null, pod })).class).toBe('unknown')
  })

  it('gives the words of the kubelet for an eviction', () => {
    const pod = aPodEnd({
      reason: 'Evicted',
      message: 'Usage of EmptyDir volume "work" exceeds the limit "1Gi".',
    })
    expect(classifyDeath(anEnding({ pod })).because.join()).toContain('exceeds the limit "1Gi"')
  })

  it('calls it vanished when nothing was left to read', () => {
    expect(classifyDeath(null)).toMatchObject({ class: 'vanished', outcome: 'incomplete', ending: null })
  })

  it('says that it is complete only where everything could be read', () => {
    expect(classifyDeath(anEnding({ exitCode: 0 })).outcome).toBe('complete')
    expect(classifyDeath(anEnding({ exitCode: 0, missing: ['its log'] })).outcome).toBe('incomplete')
  })

  it('gives the facts for every class', () => {
    for (const { fires } of cases) expect(classifyDeath(anEnding(fires)).because.length).toBeGreaterThan(0)
  })
})
