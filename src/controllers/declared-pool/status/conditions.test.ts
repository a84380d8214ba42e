import { describe, expect, it } from 'vitest'
import { aDeclaredPool } from '../../../../test/support/declared-pools.ts'
import { now } from '../../../../test/support/rows.ts'
import { type IncidentKind, incidentKinds } from '../../../domain/incident/index.ts'
import { startProblemKinds } from '../../../domain/pool/index.ts'
import { conditionsOf, type PoolFacts } from './index.ts'

const counts = { queued: 0, idle: 0, busy: 0, starting: 0, leaving: 0, desired: 0 }
const pool = aDeclaredPool()
const incident = (kind: IncidentKind) => ({
  ...({ id: 1, kind, installation: 'forge', scope: 'account', key: 'acme', reason: '401' } as const),
  openedAt: now,
  lastSeenAt: now,
  timesSeen: 1,
  closedAt: null,
})

function short(over: Partial<PoolFacts>) {
  const facts = { pool, counts, outdated: 0, problem: null, incidents: [], strays: [], ...over }
  const all = conditionsOf(facts)
  return all.map(({ type, isTrue, reason }) => `${type} ${isTrue ? 'True' : 'False'} ${reason}`)
}

describe('the conditions of a pool', () => {
  it('report that all is well where nothing is wrong', () => {
    expect(short({})).toEqual(['Ready True Ready', 'Progressing False Settled', 'Degraded False AsExpected'])
  })

  it.each(startProblemKinds)('name %s, with the message of the cluster and what to do', (kind) => {
    const problem = { kind, message: 'in its own words.', since: now }
    expect(short({ problem })).toEqual([
      `Ready False ${kind}`,
      'Progressing False Settled',
      `Degraded True ${kind}`,
    ])
    const facts = { pool, counts, outdated: 0, problem, incidents: [], strays: [] }
    const [ready] = conditionsOf(facts)
    expect(ready?.message).toMatch(/^in its own words\. \w.+\.$/)
  })

  it('are sentences, also where the cluster writes none, and where they are about one runner', () => {
    const problem = { kind: 'ImagePull', message: 'not found', since: now } as const
    const facts = {
      pool,
      outdated: 0,
      problem,
      incidents: [],
      strays: [],
      counts: { ...counts, starting: 1 },
    }
    const [ready, progressing] = conditionsOf(facts)
    expect(ready?.message).toMatch(/^not found\. Check/)
    expect(progressing?.message).toBe('1 runner is starting.')
  })

  it('stay ready while there are runners to serve the jobs', () => {
    const problem = { kind: 'NodeSilent', message: 'n1', since: now } as const
    const [ready, , degraded] = short({ problem, counts: { ...counts, busy: 2 } })
    expect([ready, degraded]).toEqual(['Ready True Ready', 'Degraded True NodeSilent'])
  })

  it('name strays that do not leave, which keep no job waiting', () => {
    const strays = Array.from({ length: 7 }, (_, n) => ({
      name: `linux-${n}`,
      pool: 'linux',
      message: `linux-${n} runs.`,
    }))
    expect(short({ strays })).toEqual([
      ...['Ready True Ready', 'Progressing False Settled', 'Degraded True StrayRunner'],
    ])
    const problem = { kind: 'NodeSilent', message: 'n1', since: now } as const
    const degraded = conditionsOf({ pool, counts, outdated: 0, problem, incidents: [], strays })[2]
    expect(degraded?.reason).toBe('NodeSilent')
    expect(degraded?.message).toMatch(/linux-4 runs\. So it is with 2 more\. Look at its log/)
  })

  it('say what to write where a pool is invalid, even while its runners work', () => {
    const declared = { kind: 'wrong', problems: ['spec.image: got nothing, expected an image'] } as const
    const facts = { pool: { ...pool, declared }, counts: { ...counts, busy: 1 } }
    expect(short(facts)).toContain('Ready False InvalidSpec')
    const [ready] = conditionsOf({ ...facts, outdated: 0, problem: null, incidents: [], strays: [] })
    expect(ready?.message).toContain('spec.image: got nothing, expected an image')
  })

  it.each(incidentKinds)('report %s at the forge', (kind) => {
    const expected = kind.startsWith('runner-group-') ? 'LabelUnreachable' : 'ForgeUnauthorized'
    expect(short({ incidents: [incident(kind)] })).toContain(`Degraded True ${expected}`)
  })

  it.each([
    ['Starting', { counts: { ...counts, starting: 1 } }],
    ['Shrinking', { counts: { ...counts, leaving: 1 } }],
    ['Rolling', { outdated: 1 }],
    ['Draining', { pool: { ...pool, isLeaving: true } }],
  ] as const)('say that it is %s', (reason, over) => {
    expect(short(over)).toContain(`Progressing True ${reason}`)
  })

  it('keep their messages within the bound of the cluster', () => {
    const incidents = Array.from({ length: 500 }, () => incident('credentials-refused'))
    for (const { message } of conditionsOf({
      pool,
      counts,
      outdated: 0,
      problem: null,
      incidents,
      strays: [],
    })) {
      expect(message.length).toBeLessThanOrEqual(4_000)
    }
  })
})
