import { describe, expect, it } from 'vitest'
import { die, nodeIncident } from '../../../test/support/deaths.ts'
import { type Bench, createBench } from '../../../test/support/holdfast-app.ts'
import { type DeathList, deathListSchema } from '../../api/index.ts'
import { aJobAtEnd } from '../../domain/death/testing.ts'

async function list(bench: Bench, query = ''): Promise<DeathList> {
  const answer = await bench.ask(`/v1/deaths${query}`)
  expect(answer.status).toBe(200)
  return deathListSchema.parse(await answer.json())
}
const runners = ({ deaths }: DeathList) => deaths.map(({ runner }) => runner)

describe('GET /v1/deaths', () => {
  it('gives the ends of a day newest first, with where they were and whose job', async () => {
    const bench = await createBench()
    await die(bench, 'linux-1', 'm789d', { job: aJobAtEnd({ jobId: 7 }), confidence: 'likely' })
    await bench.clock.advance(60_000)
    await die(bench, 'linux-2', 'm1', { class: 'crash' })
    const found = await list(bench)
    expect(found).toMatchObject({
      at: '2026-01-02T03:05:05.000Z',
      since: '2026-01-01T03:05:05.000Z',
      causes: [],
      leftOut: 0,
      counts: [
        { class: 'crash', count: 1, isListed: true },
        { class: 'never-started', count: 1, isListed: true },
      ],
    })
    expect(runners(found)).toEqual(['linux-2', 'linux-1'])
    expect(found.deaths[1]).toEqual({
      at: '2026-01-02T03:04:05.000Z',
      sealedAt: '2026-01-02T03:04:05.000Z',
      class: 'never-started',
      confidence: 'likely',
      runner: 'linux-1',
      pool: 'linux',
      node: 'm789d',
      image: 'runner:1',
      repository: 'acme/web',
      jobId: 7,
      corrected: null,
    })
  })

  it('counts those that went as they should, and lists them only where they are asked for', async () => {
    const bench = await createBench()
    await die(bench, 'linux-1', 'm1', { class: 'clean' })
    await die(bench, 'linux-2', 'm1', { class: 'terminated' })
    await die(bench, 'linux-3', 'm1')
    const found = await list(bench)
    expect(runners(found)).toEqual(['linux-3'])
    expect(found.counts).toContainEqual({ class: 'clean', count: 1, isListed: false })
    expect(runners(await list(bench, '?all=true'))).toEqual(['linux-3', 'linux-2', 'linux-1'])
    expect(runners(await list(bench, '?class=clean,terminated'))).toEqual(['linux-2', 'linux-1'])
  })

  it('looks at one node, and as far back as it is asked to', async () => {
    const bench = await createBench()
    await die(bench, 'linux-1', 'm1')
    await bench.clock.advance(3_600_000)
    await die(bench, 'linux-2', 'm2')
    expect(runners(await list(bench, '?node=m1'))).toEqual(['linux-1'])
    expect((await list(bench, '?node=m1')).counts).toHaveLength(1)
    expect(runners(await list(bench, '?since=30m'))).toEqual(['linux-2'])
    expect(runners(await list(bench, '?since=2h'))).toEqual(['linux-2', 'linux-1'])
  })

  it('says how many more there are than it gives', async () => {
    const bench = await createBench()
    for (const name of ['linux-1', 'linux-2', 'linux-3']) await die(bench, name, 'm1')
    expect(await list(bench, '?limit=2')).toMatchObject({ leftOut: 1, deaths: [{}, {}] })
  })

  it('gives what they have in common: what is open, and what was over in that time', async () => {
    const bench = await createBench()
    await bench.ledger.raiseIncident(nodeIncident, 0)
    await bench.ledger.raiseIncident({ ...nodeIncident, kind: 'actions-disabled', scope: 'repository' }, 0)
    expect((await list(bench)).causes).toMatchObject([{ ...nodeIncident, closedAt: null }])
    await bench.ledger.liftIncident(nodeIncident)
    expect((await list(bench)).causes).toMatchObject([{ closedAt: expect.any(String) }])
    await bench.clock.advance(2 * 3_600_000)
    expect((await list(bench, '?since=1h')).causes).toEqual([])
  })

  it.each([
    ['?since=yesterday', 'expected minutes, hours or days, such as 90m, 24h or 7d'],
    ['?since=0m', 'expected from 1m to 90d'],
    ['?since=91d', 'expected from 1m to 90d'],
    ['?class=hiccup', 'class'],
    ['?limit=501', 'limit'],
    ['?nod=m1', 'nod'],
  ])('refuses %s and says what is expected', async (query, words) => {
    const { ask } = await createBench()
    const answer = await ask(`/v1/deaths${query}`)
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain(words)
  })

  it('wants a token from elsewhere', async () => {
    const { ask } = await createBench({ isLoopback: false })
    expect((await ask('/v1/deaths')).status).toBe(401)
  })
})
