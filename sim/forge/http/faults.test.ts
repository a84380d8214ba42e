import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TemporaryFolder, temporaryFolder } from '../../../test/support/temporary.ts'
import { untilTestEnds } from '../../../test/support/until-test-ends.ts'
import { machineClock, machineEntropy } from '../machine.ts'
import {
  type ForgeCalls,
  forgeCalls,
  silentLog,
  startReceiver,
  token,
  webhookSecret,
} from '../testing/kit.ts'
import { createFaultSchedule } from './fault-schedule.ts'
import { type SimulatedForge, startSimulatedForge } from './index.ts'

const runners = '/repos/acme/shop/actions/runners'
let folder: TemporaryFolder
let forge: SimulatedForge
let calls: ForgeCalls

beforeEach(async () => {
  folder = await temporaryFolder()
  forge = await startSimulatedForge({
    folder: folder.path,
    port: 0,
    token,
    webhookUrl: null,
    webhookSecret,
    clock: machineClock,
    entropy: machineEntropy,
    log: silentLog,
  })
  calls = forgeCalls(forge.url)
})
afterEach(async () => {
  await forge.close()
  await folder[Symbol.asyncDispose]()
})

describe('faults by chance', () => {
  it('lose, repeat and delay messages as the seed has it', async () => {
    for (const seed of [1, 2]) {
      const receiver = untilTestEnds(await startReceiver())
      forge.sendWebhooksTo(receiver.url)
      const webhooks = { drop: 0.2, repeat: 0.2, delay: 0.2, delayMsMax: 5 }
      const { webhook: draw } = createFaultSchedule({ seed, webhooks, rest: {}, reads: {} })
      const fates = Array.from({ length: 20 }, () => draw().kind)
      expect(new Set(fates)).toEqual(new Set(['none', 'drop', 'repeat', 'delay']))
      await calls.send('POST', '/_sim/faults', { schedule: { seed, webhooks } })
      const before = await deliveryCount()
      const ids: number[] = []
      for (let n = 0; n < fates.length; n += 1) ids.push(await calls.submit())
      const repeated = fates.filter((fate) => fate === 'repeat').length
      await expect.poll(deliveryCount, { timeout: 10_000 }).toBe(before + fates.length + repeated)
      const times = ids.map((id) => receiver.received.filter(({ body }) => jobIdOf(body) === id).length)
      expect(times).toEqual(fates.map((fate) => (fate === 'drop' ? 0 : fate === 'repeat' ? 2 : 1)))
    }
  })

  it('fail calls before or after they took effect, and end when they are called off', async () => {
    await calls.submit()
    await calls.send('POST', '/_sim/faults', { schedule: { seed: 1, rest: { lostAnswer: 1 } } })
    await expect(calls.mint('r-1')).rejects.toThrow()
    await calls.send('POST', '/_sim/faults', { schedule: { seed: 1, rest: { fail: 1 } } })
    expect((await calls.send('GET', runners)).status).toBe(502)
    await calls.send('DELETE', '/_sim/faults')
    expect((await calls.send('GET', `${runners}?name=r-1`)).body.total_count).toBe(1)
  })
})

describe('faults on order', () => {
  it('fail the next calls that match, and no others', async () => {
    await calls.submit()
    const rest = { count: 1, do: 'fail', status: 503, match: 'GET /repos/acme/shop/actions/runners' }
    expect((await calls.send('POST', '/_sim/faults', { rest })).status).toBe(201)
    expect((await calls.send('GET', '/repos/acme/shop')).status).toBe(200)
    expect((await calls.send('GET', runners)).status).toBe(503)
    expect((await calls.send('GET', runners)).status).toBe(200)
  })

  it('lose the answer of a call that took effect', async () => {
    await calls.submit()
    const rest = { count: 1, do: 'reset', when: 'after', match: 'generate-jitconfig' }
    await calls.send('POST', '/_sim/faults', { rest })
    await expect(calls.mint('r-1')).rejects.toThrow()
    expect((await calls.send('GET', `${runners}?name=r-1`)).body.total_count).toBe(1)
  })

  it('hold a call open until the caller gives up, and the next one is answered', async () => {
    await calls.submit()
    const rest = { count: 1, do: 'hang', match: 'GET /repos/acme/shop' }
    await calls.send('POST', '/_sim/faults', { rest })
    const headers = { authorization: `Bearer ${token}` }
    const asked = fetch(`${forge.url}/repos/acme/shop`, { headers, signal: AbortSignal.timeout(200) })
    await expect(asked).rejects.toMatchObject({ name: 'TimeoutError' })
    expect((await calls.send('GET', '/repos/acme/shop')).status).toBe(200)
  })

  it('send a body slowly, and whole', async () => {
    await calls.submit()
    const rest = { count: 1, do: 'slow', delayMs: 50, match: 'GET /repos/acme/shop' }
    await calls.send('POST', '/_sim/faults', { rest })
    const began = machineClock.now()
    expect((await calls.send('GET', '/repos/acme/shop')).body.full_name).toBe('acme/shop')
    expect(machineClock.now() - began).toBeGreaterThanOrEqual(45)
  })

  it('are refused where they make no sense', async () => {
    for (const order of [{}, { rest: { count: 1, do: 'explode' } }, { dropWebhooks: -1 }]) {
      expect((await calls.send('POST', '/_sim/faults', order)).status).toBe(422)
    }
  })
})

/** How many times the forge has sent something for the repository. */
async function deliveryCount(): Promise<number> {
  const { body } = await calls.send('GET', '/repos/acme/shop/hooks/40000001/deliveries?per_page=100')
  return Array.isArray(body) ? body.length : 0
}

function jobIdOf(body: Buffer): number {
  return JSON.parse(body.toString()).workflow_job.id
}
