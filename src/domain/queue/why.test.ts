import { describe, expect, it } from 'vitest'
import { aJob, now } from '../../../test/support/rows.ts'
import type { Incident } from '../incident/index.ts'
import { awaitsApproval } from '../job/index.ts'
import { poolProblemsOf, type QueueFacts, queueReasons, whyQueued } from './index.ts'

function facts(over: Partial<QueueFacts> = {}): QueueFacts {
  return {
    job: aJob(),
    now,
    poolExists: true,
    closedPools: [],
    ahead: [],
    runningOfRepository: 0,
    runningOfOwner: 0,
    capPerRepository: null,
    capPerOwner: null,
    hold: null,
    runners: { live: 1, idle: 1, max: 4 },
    run: null,
    ...over,
  }
}

/** Each reason with facts for which it holds, in the order in which they are asked. */
const cases = [
  ['not-queued', { job: aJob({ state: 'running' }) }, /running/],
  ['label-without-pool', { job: aJob({ pool: null }) }, /self-hosted, linux/],
  [
    'repository-not-taken',
    {
      job: aJob({ pool: null }),
      closedPools: [
        { name: 'linux', refusal: 'repository' },
        { name: 'gpu', refusal: 'repository' },
      ],
    },
    /takes jobs of acme\/app: linux, gpu would serve/,
  ],
  [
    'public-repository-refused',
    {
      job: aJob({ pool: null }),
      closedPools: [
        { name: 'linux', refusal: 'public' },
        { name: 'gpu', refusal: 'repository' },
      ],
    },
    /acme\/app is public: linux would serve.*publicRepositories: allow/,
  ],
  [
    'fork-refused',
    { job: aJob({ pool: null }), closedPools: [{ name: 'linux', refusal: 'fork' }] },
    /a fork of acme\/app: linux would serve.*forks: allow/,
  ],
  [
    'origin-unknown',
    {
      job: aJob({ pool: null }),
      closedPools: [
        { name: 'gpu', refusal: 'fork' },
        { name: 'linux', refusal: 'visibility-unknown' },
      ],
    },
    /has not said whether acme\/app is public: linux would serve.*asked again/,
  ],
  ['unreachable', { job: aJob({ quarantine: 'also this' }) }, /out of reach/],
  ['awaiting-approval', { job: aJob({ quarantine: awaitsApproval }) }, /an approval at the forge/],
  ['quarantined', { job: aJob({ quarantine: 'no runner group' }) }, /no runner group.*holdfast release \d+/],
  ['backing-off', { job: aJob({ notBefore: now + 4500 }) }, /another 5 s/],
  [
    'repository-held',
    { hold: { key: 'acme', reason: 'suspended', until: now + 60_000 } },
    /acme.*60 s.*suspended/,
  ],
  ['repository-cap', { capPerRepository: 2, runningOfRepository: 2 }, /acme\/app has 2.*cap is 2/],
  ['owner-cap', { capPerOwner: 3, runningOfOwner: 3 }, /acme has 3.*cap is 3/],
  [
    'pool-problem',
    { runners: { live: 1, idle: 0, max: 4 } },
    /pool linux gets no runners going: ImagePull: no such image/,
  ],
  [
    'forge-limit',
    { ahead: [{ repository: 'acme/web', jobs: 4 }] },
    /forge's limit of 900 points a minute until about 03:05:20 UTC, after 4 others/,
  ],
  ['behind-others', { ahead: [{ repository: 'acme/web', jobs: 4 }] }, /4 jobs.*4 of acme\/web/],
  ['next', {}, /a runner is ready/],
  ['no-capacity', { runners: { live: 4, idle: 0, max: 4 } }, /all 4 runners of linux/],
  ['runner-starting', { runners: { live: 1, idle: 0, max: 4 } }, /a runner to start/],
] as const satisfies readonly (readonly [string, Partial<QueueFacts>, RegExp])[]

const outOfReach = { kind: 'actions-disabled', sentence: 'It is out of reach.', todo: 'Act.' } as const

describe('whyQueued', () => {
  it.each(cases)('says %s where that holds', (reason, over, sentence) => {
    const limit = { perMinute: 900, until: now + 75_000 }
    const answer = whyQueued(
      facts(over),
      reason === 'unreachable' ? outOfReach : null,
      reason === 'forge-limit' ? limit : null,
      reason === 'pool-problem' ? { starting: 'ImagePull: no such image', invalid: [] } : undefined,
    )
    expect(answer.reason).toBe(reason)
    expect(answer.sentence).toMatch(sentence)
  })

  it('has a case here for every reason', () => {
    expect(cases.map(([reason]) => reason).sort()).toEqual([...queueReasons].sort())
  })

  it.each([
    ['a cap with room', { capPerRepository: 2, runningOfRepository: 1, capPerOwner: 3, runningOfOwner: 2 }],
    ['a back-off that is over', { job: aJob({ notBefore: now }) }],
  ])('does not blame %s', (_, over) => {
    expect(whyQueued(facts(over)).reason).toBe('next')
  })

  it("does not blame the forge's limit where no runner is ready anyway", () => {
    const limit = { perMinute: 900, until: now + 75_000 }
    const busy = facts({ runners: { live: 4, idle: 0, max: 4 } })
    expect(whyQueued(busy, null, limit).reason).toBe('no-capacity')
  })

  it('says that a pool is missing which was taken away', () => {
    expect(whyQueued(facts({ poolExists: false })).reason).toBe('label-without-pool')
  })

  it('counts all jobs ahead, and names three', () => {
    const ahead = ['a', 'b', 'c', 'd'].map((name) => ({ repository: `acme/${name}`, jobs: 2 }))
    const answer = whyQueued(facts({ ahead }))
    expect(answer.behind).toBe(8)
    expect(answer.sentence).not.toContain('acme/d')
  })

  it('says how long a job has run of how long its pool lets one run', () => {
    const job = aJob({ state: 'running' })
    const run = { ranMs: 59 * 60_000 + 30_000, limitMs: 3_600_000, isPastDeadline: false }
    expect(whyQueued(facts({ job, run })).sentence).toBe('It is not queued: it is running for 59 of 60 min.')
    expect(whyQueued(facts({ job, run: { ...run, limitMs: null } })).sentence).toBe(
      'It is not queued: it is running.',
    )
    expect(whyQueued(facts({ job, run: { ...run, isPastDeadline: true } })).sentence).toContain(
      'it is past the limit of its pool, and is being ended',
    )
  })
})

describe('problems of pools', () => {
  const incident = (kind: Incident['kind'], key: string, over: Partial<Incident> = {}): Incident => ({
    id: 1,
    kind,
    installation: 'forge',
    scope: 'runners',
    key,
    reason: `of ${key}`,
    openedAt: now,
    lastSeenAt: now,
    timesSeen: 1,
    closedAt: null,
    ...over,
  })

  it('are those of the pool that would serve the job', () => {
    const start = (key: string, over: Partial<Incident> = {}) => incident('runners-not-starting', key, over)
    expect(poolProblemsOf(aJob(), [start('gpu'), start('linux')]).starting).toBe('of linux')
    expect(poolProblemsOf(aJob(), [start('gpu'), start('linux', { closedAt: now })]).starting).toBeNull()
    expect(whyQueued(facts(), null, null, { starting: 'x', invalid: [] }).reason).toBe('next')
  })

  it('name RunnerPools that are written wrong where the job has no pool', () => {
    const unserved = aJob({ pool: null })
    const problems = poolProblemsOf(unserved, [incident('pool-invalid', 'gpu')])
    expect(whyQueued(facts({ job: unserved }), null, null, problems).sentence).toMatch(
      /No pool serves.*RunnerPool gpu \(of gpu\) is out of use/,
    )
    expect(poolProblemsOf(aJob(), [incident('pool-invalid', 'gpu')]).invalid).toEqual([])
  })
})
