import { describe, expect, it } from 'vitest'
import type { ClusterFacts, EnvFact, JobLogFact, ServiceFact } from '../../snapshot/index.ts'
import {
  containerFact,
  forgeJobFact,
  listed,
  objectFact,
  runnerFact,
  scaleSetFact,
  secretFact,
  snapshotOf,
  templateFact,
  unread,
} from '../../snapshot/testing/facts.ts'
import { contractOf, found, judged } from '../testing/judge.ts'
import { nixCache } from './index.ts'

const server = env('ATTIC_SERVER', 'http://attic.nix-cache.svc:8080')
const cache = env('ATTIC_CACHE', 'main')
const token = { name: 'ATTIC_TOKEN', value: null, from: 'secret', ref: 'attic' } as const
const all = [server, cache, token]

it('finds nothing where server, cache, Secret and Service are in place, nor where no lane uses a cache', () => {
  expect(judged(nixCache, fleet(all))).toMatchObject({ findings: [], unjudged: [] })
  expect(judged(nixCache, fleet([]))).toEqual({ findings: [], unjudged: [], tables: [] })
})

it('shows server, cache and origin of the token of every lane, never its value', () => {
  expect(judged(nixCache, fleet(all)).tables[0]?.rows).toEqual([
    ['arc-runners/nix', 'http://attic.nix-cache.svc:8080', 'main', 'from secret attic'],
  ])
})

describe('server-unset', () => {
  it('is found where the cache is named and its server is not', () => {
    expect(found(judged(nixCache, fleet([cache, token])))).toEqual(['server-unset nix'])
    expect(found(judged(nixCache, fleet([env('ATTIC_SERVER', ''), cache])))).toEqual(['server-unset nix'])
  })
  it('is found for a declared lane that sets nothing at all', () => {
    expect(found(judged(nixCache, fleet([]), declared('main')))).toEqual(['server-unset nix'])
  })
  it('is not concluded where a whole ConfigMap of variables is imported', () => {
    const imported = { name: '*', value: null, from: 'config-map', ref: 'nix-settings' } as const
    const { findings, unjudged } = judged(nixCache, fleet([cache, imported]))
    expect(findings).toEqual([])
    expect(unjudged[0]?.why).toBe(
      'ATTIC_SERVER of arc-runners/nix comes from config-map nix-settings, whose values are not read',
    )
  })
})

describe('secret-missing', () => {
  it('is found where the namespace was read whole without it', () => {
    expect(found(judged(nixCache, fleet(all, { secrets: listed() })))).toEqual(['secret-missing nix'])
  })
  it('is unjudged where Secrets were not read', () => {
    const { findings, unjudged } = judged(nixCache, fleet(all, { secrets: unread('secrets') }))
    expect(findings).toEqual([])
    expect(unjudged.map(({ class: name }) => name)).toEqual(['secret-missing'])
  })
})

describe('service-unreachable', () => {
  it('is found where no address behind the Service is ready', () => {
    const { findings } = judged(nixCache, fleet(all, { services: listed([service(0)]) }))
    expect(findings).toMatchObject([{ class: 'service-unreachable', confidence: 'proven' }])
    expect(findings[0]?.mustNotConclude.join(' ')).toContain('An empty cache and an absent one look alike')
  })
  it('is unjudged where its endpoints, or Services, were not read', () => {
    for (const services of [listed([service(null)]), unread<ServiceFact>('services')]) {
      const { findings, unjudged } = judged(nixCache, fleet(all, { services }))
      expect(findings).toEqual([])
      expect(unjudged.map(({ class: name }) => name)).toContain('service-unreachable')
    }
  })
})

describe('stale-endpoint', () => {
  it('is found where the Service that the address names is gone', () => {
    expect(found(judged(nixCache, fleet(all, { services: listed() })))).toEqual(['stale-endpoint nix'])
  })
  it('is found where the contract declares another host', () => {
    const old = env('ATTIC_SERVER', 'https://old-cache.example.com')
    expect(found(judged(nixCache, fleet([old, cache]), declared('main')))).toEqual(['stale-endpoint nix'])
  })
  it('is not concluded of a host outside the cluster', () => {
    const outside = env('ATTIC_SERVER', 'https://cache.example.com/x')
    expect(found(judged(nixCache, fleet([outside, cache])))).toEqual([])
  })
})

describe('cache-name-mismatch', () => {
  it('is found where the contract declares another cache', () => {
    expect(found(judged(nixCache, fleet(all), declared('other')))).toEqual(['cache-name-mismatch nix'])
  })
  it('is likely where a job of the lane pushes to another cache', () => {
    const { findings } = judged(nixCache, withLog('+ attic push ci:release ./result'))
    expect(findings).toMatchObject([{ class: 'cache-name-mismatch', confidence: 'likely' }])
  })
  it('is not found where the job pushes to the cache that is read', () => {
    expect(found(judged(nixCache, withLog('+ attic push ci:main ./result')))).toEqual([])
  })
})

describe('push-skipped', () => {
  it('is likely where the log of a job says so', () => {
    const { findings } = judged(nixCache, withLog('ATTIC_TOKEN is empty, skipping Attic'))
    expect(findings).toMatchObject([{ class: 'push-skipped', confidence: 'likely' }])
  })
  it('is not concluded from the log of a job on another runner', () => {
    expect(found(judged(nixCache, withLog('ATTIC_TOKEN is empty, skipping Attic', 'elsewhere')))).toEqual([])
  })
  it("is unjudged where jobs' logs were not read", () => {
    const snapshot = fleet(all)
    const { unjudged } = judged(nixCache, {
      ...snapshot,
      forge: { ...snapshot.forge, logs: unread('job logs') },
    })
    expect(unjudged.map(({ class: name }) => name)).toEqual(['push-skipped', 'cache-name-mismatch'])
  })
})

function env(name: string, value: string): EnvFact {
  return { name, value, from: 'value', ref: null }
}

function declared(name: string) {
  const lanes = { server: 'http://attic.nix-cache.svc:8080/', cache: name, lanes: ['nix'] }
  return { contract: contractOf({ nixCache: lanes }) }
}

function service(readyAddresses: number | null): ServiceFact {
  return { ...objectFact('attic', 'nix-cache'), ports: [8080], readyAddresses }
}

function fleet(variables: readonly EnvFact[], cluster: Partial<ClusterFacts> = {}) {
  const template = templateFact({ containers: [containerFact({ env: variables })] })
  return snapshotOf({
    cluster: {
      scaleSets: listed([scaleSetFact('nix', { template })]),
      secrets: listed([secretFact('attic', { token: 'h' })]),
      services: listed([service(2)]),
      ...cluster,
    },
  })
}

function withLog(line: string, runnerName = 'nix-1') {
  const snapshot = fleet(all, {
    runners: listed([runnerFact('nix-1', { scaleSet: { namespace: 'arc-runners', name: 'nix' } })]),
  })
  const log: JobLogFact = { repository: 'acme/web', jobId: 5, lines: [line], isCut: false }
  return {
    ...snapshot,
    forge: { ...snapshot.forge, jobs: listed([forgeJobFact(5, { runnerName })]), logs: listed([log]) },
  }
}
