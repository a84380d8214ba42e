import { describe, expect, it } from 'vitest'
import { type ControlBench, cause, createControlBench, never } from '../../test/support/control-bench.ts'
import { aPool } from '../../test/support/rows.ts'
import { type AuditDeps, auditLoop, auditNow } from './index.ts'

const everyMs = 300_000
const pass = (bench: ControlBench, over: Partial<AuditDeps> = {}) =>
  auditLoop({ ...bench, ...over }, everyMs).pass(never)
const now = (bench: ControlBench, over: Partial<AuditDeps> = {}) =>
  auditNow({ ...bench, ...over }, everyMs, never)

describe('reach', () => {
  const excludes = { repository: 'acme/web', incident: 'runner-group-excludes', reason: 'not in it' } as const
  const cut = (bench: ControlBench) => ({ forge: { ...bench.forge, unreachable: async () => [excludes] } })

  it('holds back jobs that no runner of ours can reach, reports them once, and releases them afterwards', async () => {
    const bench = await createControlBench()
    const jobId = await bench.queue()
    expect((await now(bench, cut(bench))).unreachable).toEqual([excludes])
    await pass(bench, cut(bench))
    expect((await bench.ledger.queueFacts(jobId))?.hold).toMatchObject({ key: 'acme/web' })
    expect(bench.log.lines.filter(({ level }) => level === 'error')).toHaveLength(1)
    expect(bench.metrics.counts.get('holdfast_incidents_total{runner-group-excludes}')).toBe(1)
    await pass(bench)
    expect((await bench.ledger.queueFacts(jobId))?.hold).toBeNull()
    expect(await bench.ledger.incidents(5)).toMatchObject([{ closedAt: expect.any(Number) }])
  })

  it('reports a repository that the runners of one group do not reach, and holds back no job that others do', async () => {
    const bench = await createControlBench()
    const jobId = await bench.queue()
    const inPart = { ...excludes, isInPart: true } as const
    await pass(bench, { forge: { ...bench.forge, unreachable: async () => [inPart] } })
    expect((await bench.ledger.queueFacts(jobId))?.hold).toBeNull()
    expect(await bench.ledger.incidents(0)).toMatchObject([{ kind: 'runner-group-excludes', closedAt: null }])
  })

  it('is checked in the groups of the pools in which the jobs wait', async () => {
    const bench = await createControlBench()
    await bench.queue()
    const checks: unknown[] = []
    const unreachable: typeof bench.forge.unreachable = async (_, repositories) => {
      checks.push(...repositories)
      return []
    }
    await pass(bench, { forge: { ...bench.forge, unreachable } })
    await bench.ledger.putPools([aPool({ runnerGroup: 'Fast' })], cause)
    await pass(bench, { forge: { ...bench.forge, unreachable } })
    expect(checks).toEqual([
      { repository: 'acme/web', runnerGroups: [null] },
      { repository: 'acme/web', runnerGroups: ['Fast'] },
    ])
  })

  it('is checked only for repositories with queued jobs', async () => {
    const bench = await createControlBench()
    let checks = 0
    const unreachable = async () => {
      checks += 1
      return []
    }
    await pass(bench, { forge: { ...bench.forge, unreachable } })
    expect(checks).toBe(0)
    await bench.queue()
    await pass(bench, { forge: { ...bench.forge, unreachable } })
    expect(checks).toBe(1)
  })

  it('lifts no incident that it did not check or that a mint must disprove', async () => {
    const bench = await createControlBench()
    const incident = { installation: 'sim', scope: 'repository', key: 'acme/web', reason: 'no' } as const
    await bench.ledger.raiseIncident({ ...incident, kind: 'runners-disabled' }, 60_000)
    await bench.queue()
    await pass(bench)
    expect(await bench.ledger.incidents(5)).toMatchObject([{ kind: 'runners-disabled', closedAt: null }])
  })
})
