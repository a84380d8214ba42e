import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aPool } from '../../../test/support/rows.ts'
import type { JobOrigin } from '../job/index.ts'
import {
  admits,
  closedTo,
  matches,
  needsOrigin,
  type Pool,
  priorityOf,
  refusalOf,
  reroute,
  routeToPool,
  serves,
  weightOf,
} from './index.ts'

const of = (labels: readonly string[], repository = 'acme/web') => ({
  labels,
  repository,
  visibility: 'private' as const,
})

describe('routeToPool', () => {
  const small = aPool({ name: 'small', labels: ['linux'] })
  const large = aPool({ name: 'large', labels: ['linux', 'large', 'gpu'] })

  it('finds a pool that has all labels of the job, without regard to case', () => {
    expect(routeToPool(of(['Linux', 'LARGE']), [small, large])).toBe(large)
  })

  it('finds none where a label is missing', () => {
    expect(routeToPool(of(['linux', 'arm']), [small, large])).toBeNull()
    expect(routeToPool(of(['linux']), [])).toBeNull()
  })

  it('takes the closest fit of several', () => {
    expect(routeToPool(of(['linux']), [large, small])).toBe(small)
  })

  it('decides alike whatever the order of the pools', () => {
    const twin = aPool({ name: 'a-twin', labels: ['linux'] })
    expect(routeToPool(of(['linux']), [small, twin])).toBe(twin)
    expect(routeToPool(of(['linux']), [twin, small])).toBe(twin)
  })

  it('serves what it offers and nothing else', () => {
    expect(serves(large, of(['gpu', 'linux']))).toBe(true)
    expect(serves(small, of(['gpu']))).toBe(false)
  })

  it('finds none for a job without labels, which asks for no runner', () => {
    expect(routeToPool(of([]), [small, large])).toBeNull()
    expect(serves(small, of([]))).toBe(false)
  })
})

describe('a pool that names its repositories', () => {
  const ours = aPool({ name: 'ours', labels: ['linux'], repositories: ['Acme/*', 'zeta/web'] })
  const open = aPool({ name: 'open', labels: ['linux', 'large'] })

  it.each(['acme/web', 'ACME/api', 'zeta/web', 'Zeta/Web'])('takes %s', (repository) => {
    expect(admits(ours, repository)).toBe(true)
    expect(routeToPool(of(['linux'], repository), [ours, open])).toBe(ours)
  })

  it.each(['acme-too/web', 'zeta/website', 'zeta/api', 'evil/acme', 'evil/zeta'])(
    'does not take %s, which goes to another pool or to none',
    (repository) => {
      expect(admits(ours, repository)).toBe(false)
      expect(routeToPool(of(['linux'], repository), [ours, open])).toBe(open)
      expect(routeToPool(of(['linux'], repository), [ours])).toBeNull()
      expect(closedTo(of(['linux'], repository), [ours, open])).toEqual([
        { name: 'ours', refusal: 'repository' },
      ])
    },
  )

  it('loses a job whose repository it does not take any more', () => {
    const job = { ...of(['linux'], 'zeta/web'), pool: 'ours' }
    expect(reroute(job, [ours])).toBeNull()
    expect(reroute(job, [{ ...ours, repositories: ['acme/*'] }])).toEqual({ to: null })
    expect(reroute({ ...job, repository: 'evil/web' }, [ours, open])).toEqual({ to: open })
  })

  it('takes none where the list is empty, and all where there is no list', () => {
    expect(admits({ repositories: [] }, 'acme/web')).toBe(false)
    expect(admits({}, 'acme/web')).toBe(true)
  })
})

describe('a pool and untrusted code', () => {
  const job = (over: JobOrigin) => ({ labels: ['linux'], repository: 'acme/web', ...over })
  const linux = (over: Partial<Pool> = {}) => aPool({ labels: ['linux'], ...over })
  const open = { publicRepositories: 'allow' } as const

  it.each([
    ['takes a private repository, also for runs of forks', {}, { visibility: 'private' }, null],
    ['takes a fork of a private repository', {}, { visibility: 'private', isFork: true }, null],
    ['refuses a public repository', {}, { visibility: 'public' }, 'public'],
    ['refuses what is not known to be private', {}, {}, 'visibility-unknown'],
    ['takes a public repository where it says so', open, { visibility: 'public', isFork: false }, null],
    ['refuses a fork of a public one all the same', open, { visibility: 'public', isFork: true }, 'fork'],
    ['refuses what is not known to be no fork', open, { visibility: 'public' }, 'origin-unknown'],
    ['wants to know also where nothing is known', open, {}, 'origin-unknown'],
    ['takes all where it says so', { ...open, forks: 'allow' }, { visibility: 'public', isFork: true }, null],
    ['asks for nothing where it takes all', { ...open, forks: 'allow' }, {}, null],
    ['refuses every fork', { forks: 'refuse' }, { visibility: 'private', isFork: true }, 'fork'],
    ['takes no private job unseen then', { forks: 'refuse' }, { visibility: 'private' }, 'origin-unknown'],
    ['takes what is no fork then', { forks: 'refuse' }, { visibility: 'private', isFork: false }, null],
  ] as const)('%s', (_, pool, origin, refusal) => {
    expect(refusalOf(linux(pool), job(origin))).toBe(refusal)
    expect(routeToPool(job(origin), [linux(pool)])?.name ?? null).toBe(refusal === null ? 'linux' : null)
    const isUnknown = refusal === 'origin-unknown' || refusal === 'visibility-unknown'
    expect(needsOrigin(job(origin), [linux(pool)])).toBe(isUnknown)
  })

  it('refuses where a version that knew no such rule declared it', () => {
    const { publicRepositories, forks, ...older } = linux()
    expect(refusalOf(older as Pool, job({ visibility: 'public' }))).toBe('public')
  })

  it('does not make the forge be asked about a job whose labels or repository it does not take', () => {
    expect(needsOrigin(job({}), [linux({ repositories: ['zeta/*'] }), linux({ labels: ['mac'] })])).toBe(
      false,
    )
  })
})

describe('priorityOf', () => {
  const pool = aPool({
    priorities: [
      { repository: 'acme/*', job: 'deploy*', class: 'critical' },
      { repository: 'acme/web', class: 'high' },
      { repository: '*', job: 'nightly', class: 'low' },
    ],
  })

  it.each([
    ['acme/web', 'deploy to production', 'critical'],
    ['acme/web', 'build', 'high'],
    ['zeta/web', 'nightly', 'low'],
    ['zeta/web', 'build', 'normal'],
    ['acme/website', 'build', 'normal'],
  ])('gives %s / %s the class %s', (repository, name, expected) => {
    expect(priorityOf(pool, { repository, name })).toBe(expected)
  })
})

it('takes owners and repositories alike in any case, as forges do', () => {
  const pool = aPool({ priorities: [{ repository: 'Acme/*', class: 'high' }] })
  expect(priorityOf(pool, { repository: 'aCME/web', name: 'test' })).toBe('high')
  expect(priorityOf(pool, { repository: 'globex/web', name: 'test' })).toBe('normal')
})

describe('weightOf', () => {
  it('is 1 where nothing is said', () => {
    const { fairness } = aPool()
    const pool = aPool({ fairness: { ...fairness, weights: { 'acme/web': 3 } } })
    expect([weightOf(pool, 'acme/web'), weightOf(pool, 'acme/app')]).toEqual([3, 1])
    expect(weightOf(pool, 'Acme/Web')).toBe(3)
  })
})

describe('matches', () => {
  it.each([
    ['acme/*', 'acme/web', true],
    ['acme/*', 'acme', false],
    ['*', '', true],
    ['a*b*c', 'a--b--c', true],
    ['a*b*c', 'a--c--b', false],
    ['ab*ba', 'aba', false],
    ['a*a*a', 'aa', false],
    ['', '', true],
    ['', 'a', false],
    ['a.c', 'abc', false],
  ])('%j matches %j: %s', (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected)
  })

  it('agrees with the regular expression that says the same', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 8 })
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*'), maxLength: 6 })
    fc.assert(
      fc.property(pattern, letters, (glob, text) => {
        expect(matches(glob, text)).toBe(new RegExp(`^${glob.replaceAll('*', '.*')}$`).test(text))
      }),
      { numRuns: 2000 },
    )
  })

  it('does bounded work on a pattern made to explode', () => {
    expect(matches(`${'*a'.repeat(50)}*b`, 'a'.repeat(100_000))).toBe(false)
  })
})
