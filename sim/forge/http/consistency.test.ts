import { generateKeyPairSync, sign } from 'node:crypto'
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
import { type SimulatedForge, startSimulatedForge } from './index.ts'

const hourMs = 3_600_000
const repo = '/repos/acme/shop'
const keys = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
let folder: TemporaryFolder
let forge: SimulatedForge
let calls: ForgeCalls
let awayMs = 0

beforeEach(async () => {
  awayMs = 0
  folder = await temporaryFolder()
  forge = await startSimulatedForge({
    folder: folder.path,
    port: 0,
    token,
    webhookUrl: null,
    webhookSecret,
    delays: { pollHoldMs: 20 },
    entropy: machineEntropy,
    log: silentLog,
    app: { id: 7, publicKeyPem: keys.publicKey },
    clock: { ...machineClock, now: () => machineClock.now() + awayMs },
  })
  calls = forgeCalls(forge.url)
})
afterEach(async () => {
  await forge.close()
  await folder[Symbol.asyncDispose]()
})

describe('reads from a replica that is behind', () => {
  const status = async (id: number) => (await calls.send('GET', `${repo}/actions/jobs/${id}`)).body.status

  it('do not show a change although its webhook has arrived, and show it later', async () => {
    const receiver = untilTestEnds(await startReceiver())
    await calls.submit()
    await calls.send('POST', '/_sim/faults', { lagMs: 10_000 })
    forge.sendWebhooksTo(receiver.url)
    const id = await calls.submit({ name: 'late' })
    const { id: runner } = await calls.mint('r-late')
    await receiver.count(1)
    expect((await calls.send('GET', `${repo}/actions/jobs/${id}`)).status).toBe(404)
    expect((await calls.send('GET', `${repo}/actions/runs`)).body.total_count).toBe(1)
    expect((await calls.send('GET', `${repo}/actions/runners`)).body.total_count).toBe(0)
    expect((await calls.send('GET', `${repo}/actions/runners/${runner}`)).status).toBe(404)
    awayMs = 10_100
    expect(await status(id)).toBe('queued')
    expect((await calls.send('GET', `${repo}/actions/runs`)).body.total_count).toBe(2)
    expect((await calls.send('GET', `${repo}/actions/runners`)).body.total_count).toBe(1)
  })

  it('show the former state: a running job as queued, a runner that was removed', async () => {
    const id = await calls.submit()
    const { jit } = await calls.mint('r-1')
    await calls.send('POST', '/_sim/faults', { lagMs: 10_000 })
    awayMs = 1_000
    const { session } = (await calls.connect(jit, 'program')).body
    await calls.send('GET', '/_runner/job', undefined, session)
    await calls.send('POST', `/_runner/jobs/${id}/complete`, { conclusion: 'success' }, session)
    const runs = async () => (await calls.send('GET', `${repo}/actions/runs?status=queued`)).body.total_count
    const runners = async () => (await calls.send('GET', `${repo}/actions/runners?name=r-1`)).body.runners
    expect([await status(id), await runs()]).toEqual(['queued', 1])
    expect(await runners()).toMatchObject([{ name: 'r-1', status: 'offline', busy: false }])
    expect((await calls.truth()).jobs[0]?.status).toBe('completed')
    await calls.send('DELETE', '/_sim/faults')
    expect([await status(id), await runs(), await runners()]).toEqual(['completed', 0, []])
  })

  it('never make the forge act on the former state: a name that is in use is refused', async () => {
    await calls.submit()
    await calls.send('POST', '/_sim/faults', { lagMs: 10_000 })
    awayMs = 1_000
    await calls.mint('r-1')
    const order = { name: 'r-1', runner_group_id: 1, labels: ['linux'] }
    expect((await calls.send('POST', `${repo}/actions/runners/generate-jitconfig`, order)).status).toBe(409)
  })

  it('occur at random, repeatably by the seed', async () => {
    const reads = { lag: 0.5, lagMsMax: 60_000 }
    await calls.send('POST', '/_sim/faults', { schedule: { seed: 3, reads } })
    awayMs = 1
    const id = await calls.submit()
    const round = async () => {
      const seen: number[] = []
      for (let n = 0; n < 20; n += 1) {
        seen.push((await calls.send('GET', `${repo}/actions/jobs/${id}`)).status)
      }
      return seen
    }
    const first = await round()
    expect(new Set(first)).toEqual(new Set([200, 404]))
    await calls.send('POST', '/_sim/faults', { schedule: { seed: 3, reads } })
    expect(await round()).toEqual(first)
  })
})

describe("a forge's clock that is wrong", () => {
  for (const aheadMs of [hourMs, -hourMs]) {
    it(`shows in headers, bodies and messages alike: ${aheadMs} ms`, async () => {
      const receiver = untilTestEnds(await startReceiver())
      forge.sendWebhooksTo(receiver.url)
      await calls.send('POST', '/_sim/faults', { aheadMs })
      const id = await calls.submit()
      const { headers, body } = await calls.send('GET', `${repo}/actions/jobs/${id}`)
      await receiver.count(1)
      const message = JSON.parse(String(receiver.received[0]?.body))
      const reset = Number(headers.get('x-ratelimit-reset')) * 1000 - hourMs
      const shown = [headers.get('date'), body.created_at, message.workflow_job.created_at, reset]
      for (const time of shown) {
        const wrongMs = new Date(time as string).getTime() - machineClock.now()
        expect(Math.abs(wrongMs - aheadMs)).toBeLessThan(10_000)
      }
      const since = new Date(machineClock.now() + aheadMs - 60_000).toISOString()
      const found = await calls.send('GET', `${repo}/actions/runs?created=>=${since}`)
      expect(found.body.total_count).toBe(1)
    })
  }

  it('rejects the JWTs of an App by that clock, and lets tokens expire early', async () => {
    const path = '/app/installations/50000001/access_tokens'
    const ask = () => calls.send('POST', path, undefined, assertion())
    const issued = await ask()
    expect(issued.status).toBe(201)
    const read = () => calls.send('GET', '/installation/repositories', undefined, issued.body.token)
    expect((await read()).status).toBe(200)
    await calls.send('POST', '/_sim/faults', { aheadMs: 2 * hourMs })
    expect((await read()).status).toBe(401)
    expect((await ask()).body.message).toContain("'Expiration time' claim")
    await calls.send('POST', '/_sim/faults', { aheadMs: -2 * hourMs })
    expect((await ask()).body.message).toContain('claim')
    await calls.send('DELETE', '/_sim/faults')
    expect((await ask()).status).toBe(201)
  })
})

it('a mint that took effect and whose response hangs is visible when its caller has timed out', async () => {
  await calls.submit()
  const order = { count: 1, do: 'hang', when: 'after', match: 'generate-jitconfig' }
  await calls.send('POST', '/_sim/faults', { rest: order })
  const path = `${forge.url}${repo}/actions/runners/generate-jitconfig`
  const body = JSON.stringify({ name: 'r-1', runner_group_id: 1, labels: ['linux'] })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const asked = fetch(path, { method: 'POST', body, headers, signal: AbortSignal.timeout(200) })
  await expect(asked).rejects.toMatchObject({ name: 'TimeoutError' })
  expect((await calls.send('GET', `${repo}/actions/runners?name=r-1`)).body.total_count).toBe(1)
  await calls.send('POST', '/_sim/faults', { schedule: { seed: 1, rest: { hungAnswer: 1 } } })
  const again = body.replace('r-1', 'r-2')
  const second = fetch(path, { method: 'POST', body: again, headers, signal: AbortSignal.timeout(200) })
  await expect(second).rejects.toMatchObject({ name: 'TimeoutError' })
  await calls.send('DELETE', '/_sim/faults')
  expect((await calls.send('GET', `${repo}/actions/runners`)).body.total_count).toBe(2)
})

it('decisions of people survive a restart of the forge', async () => {
  await calls.send('POST', '/_sim/repositories', { repository: 'acme/shop', public: true })
  await calls.send('POST', '/_sim/runner-groups', { organization: 'acme', name: 'some' })
  const { id } = (await calls.send('POST', '/_sim/installations', { account: 'acme' })).body
  await calls.send('POST', '/_sim/refusals', { what: 'actions-disabled', of: 'acme/shop' })
  await calls.send('POST', '/_sim/hook', { events: ['workflow_run', 'workflow_job'] })
  await forge.close()
  forge = await startSimulatedForge({
    folder: folder.path,
    port: forge.port,
    token,
    webhookUrl: null,
    webhookSecret,
    clock: machineClock,
    entropy: machineEntropy,
    log: silentLog,
  })
  const groups = (await calls.send('GET', '/orgs/acme/actions/runner-groups')).body.runner_groups
  expect(groups.map(({ name }: { name: string }) => name)).toEqual(['Default', 'some'])
  expect((await calls.send('GET', repo)).body.private).toBe(false)
  const { installations } = (await calls.send('GET', '/_sim/installations')).body
  expect(installations).toMatchObject([{ id, account: 'acme' }])
  const { refusals } = (await calls.send('GET', '/_sim/refusals')).body
  expect(refusals).toMatchObject([{ what: 'actions-disabled', of: 'acme/shop' }])
})

function assertion(): string {
  const nowSeconds = Math.floor(machineClock.now() / 1000)
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { iat: nowSeconds - 60, exp: nowSeconds + 540, iss: '7' }
  const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), keys.privateKey).toString('base64url')}`
}
