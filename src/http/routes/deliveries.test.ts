import { describe, expect, it } from 'vitest'
import { type Bench, createBench, installation, operatorToken } from '../../../test/support/holdfast-app.ts'
import { deliveryListSchema } from '../../api/index.ts'
import type { DeliveryOutcome } from '../../ports/ledger.ts'

type ErrorAnswer = { error: { code: string; message: string } }
const bearer = { authorization: `Bearer ${operatorToken}` }

/** A delivery that was worked on, or still waits. */
async function keep({ ledger, clock }: Bench, guid: string, outcome?: DeliveryOutcome): Promise<void> {
  const body = '{"secret":"of-the-body"}'
  await ledger.storeDelivery({ guid, installation, event: 'workflow_job', subject: 'job 7', body })
  if (outcome !== undefined) await ledger.settleDelivery(guid, outcome)
  await clock.advance(1_000)
}

async function benchWithAll(): Promise<Bench> {
  const bench = await createBench()
  await keep(bench, 'one', { kind: 'poison', note: 'expected an object; token=ghp_abcdefghijklmnopqrst' })
  await keep(bench, 'two', { kind: 'done', note: 'new' })
  await keep(bench, 'three', { kind: 'ignored', note: 'a push' })
  await keep(bench, 'four')
  return bench
}

describe('GET /v1/deliveries', () => {
  it('lists what was set aside and what waits, newest first, without bodies and secrets', async () => {
    const { ask } = await benchWithAll()
    const text = await (await ask('/v1/deliveries')).text()
    const { deliveries } = deliveryListSchema.parse(JSON.parse(text))
    expect(deliveries.map(({ guid, state, tries, subject }) => [guid, state, tries, subject])).toEqual([
      ['four', 'pending', 0, 'job 7'],
      ['one', 'poison', 1, 'job 7'],
    ])
    expect(deliveries[1]?.note).toContain('expected an object')
    expect(text).not.toMatch(/of-the-body|ghp_/)
  })

  it('lists only the states and the number asked for', async () => {
    const { ask } = await benchWithAll()
    const guidsOf = async (query: string) =>
      deliveryListSchema
        .parse(await (await ask(`/v1/deliveries${query}`)).json())
        .deliveries.map((d) => d.guid)
    expect(await guidsOf('?state=done,ignored')).toEqual(['three', 'two'])
    expect(await guidsOf('?state=done,ignored&limit=1')).toEqual(['three'])
  })

  it.each(['?state=asleep', '?limit=0', '?limit=501', '?colour=red', '?state='])(
    'refuses %s',
    async (query) => {
      const { ask } = await createBench()
      expect((await ask(`/v1/deliveries${query}`)).status).toBe(400)
    },
  )
})

describe('POST /v1/deliveries/:guid/replay', () => {
  const replay = (bench: Bench, guid: string, headers: Record<string, string> = bearer) =>
    bench.ask(`/v1/deliveries/${guid}/replay`, { method: 'POST', headers })

  it('works on a settled delivery once more', async () => {
    const bench = await benchWithAll()
    const answer = await replay(bench, 'one')
    expect([answer.status, await answer.json()]).toEqual([200, { replayed: true, guid: 'one' }])
    expect((await bench.ledger.pendingDeliveries(10)).map(({ guid }) => guid)).toContain('one')
  })

  it('says 409 for one that still waits, 404 for one that is not known, 400 for what is no GUID', async () => {
    const bench = await benchWithAll()
    const replayed = async (guid: string) => {
      const answer = await replay(bench, guid)
      return [answer.status, ((await answer.json()) as ErrorAnswer).error.code]
    }
    expect(await replayed('four')).toEqual([409, 'E_DELIVERY_PENDING'])
    expect(await replayed('five')).toEqual([404, 'E_DELIVERY_UNKNOWN'])
    expect(await replayed('%20')).toEqual([400, 'E_REQUEST_INVALID'])
  })

  it('needs the token, also on a loopback address', async () => {
    const bench = await benchWithAll()
    expect((await replay(bench, 'one', {})).status).toBe(401)
    expect((await bench.ledger.pendingDeliveries(10)).map(({ guid }) => guid)).toEqual(['four'])
  })
})
