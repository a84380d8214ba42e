import { createHmac, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ApiDelivery, DeliveryList, JobSummary } from '../../src/api/index.ts'
import { createEmptyDatabase } from '../support/postgres.ts'
import { knownJobs } from './support/jobs.ts'
import { newPlace, type Place } from './support/place.ts'
import { requestBytes, sendRaw } from './support/raw-http.ts'
import { startProgram } from './support/start-program.ts'

const secret = randomBytes(12).toString('hex')
const installationId = 42
const answerMs = 10_000
const lookEveryMs = 50
const pools = [{ name: 'local', labels: ['self-hosted'], minWarm: 0, maxRunners: 1, runnerCommand: ['true'] }]
const disposals: AsyncDisposable[] = []
let place: Place

beforeAll(async () => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  })
  place = await newPlace()
  const database = await createEmptyDatabase()
  disposals.push(place, database)
  const program = await startProgram(place, {
    env: {
      DATABASE_URL: database.url,
      HOLDFAST_FORGE_KIND: 'github',
      HOLDFAST_FORGE_URL: 'http://127.0.0.1:9', // nobody is there: messages are taken all the same
      HOLDFAST_FORGE_APP_ID: '1',
      HOLDFAST_FORGE_APP_INSTALLATION_ID: String(installationId),
      HOLDFAST_FORGE_APP_PRIVATE_KEY: privateKey,
      HOLDFAST_FORGE_WEBHOOK_SECRETS: JSON.stringify([secret]),
      HOLDFAST_POOLS: JSON.stringify(pools),
    },
  })
  disposals.push(program)
})

afterAll(async () => {
  for (const held of disposals.toReversed()) await held[Symbol.asyncDispose]()
})

describe('a webhook that cannot be taken', { timeout: 30_000 }, () => {
  it('with a signature that fits no secret is refused with 401, counted, and not kept', async () => {
    const before = await counted('holdfast_deliveries_total', 'refused')
    const sent = await deliver(JSON.stringify(message(1)), {
      'x-hub-signature-256': `sha256=${'0'.repeat(64)}`,
    })
    expect([sent.status, sent.code]).toEqual([401, 'E_WEBHOOK_REFUSED'])
    await expect.poll(() => counted('holdfast_deliveries_total', 'refused')).toBe(before + 1)
    expect(await deliveryOf(sent.guid)).toBeUndefined()
  })

  it('with a form as its body is refused with 415, and the answer says what to set', async () => {
    const before = await counted('holdfast_deliveries_total', 'refused')
    const type = 'application/x-www-form-urlencoded'
    const sent = await deliver('payload=%7B%7D', { 'content-type': type })
    expect([sent.status, sent.code]).toEqual([415, 'E_CONTENT_TYPE'])
    expect(sent.text).toContain('application/json')
    await expect.poll(() => counted('holdfast_deliveries_total', 'refused')).toBe(before + 1)
  })

  it('with 30 MB is refused with 413 before it is read', async () => {
    const before = await counted('holdfast_deliveries_total', 'refused')
    const head = ['POST /webhooks/forge HTTP/1.1', 'host: x', `content-length: ${30 * 1024 * 1024}`]
    // The rest never comes: a server that waited for it would not answer.
    const bytes = Buffer.from([...head, 'content-type: application/json', '', 'x'.repeat(1024)].join('\r\n'))
    const { status, body } = await sendRaw(place.url, { bytes, withinMs: answerMs })
    expect(status).toBe(413)
    expect(body).toContain('E_REQUEST_TOO_LARGE')
    await expect.poll(() => counted('holdfast_deliveries_total', 'refused')).toBe(before + 1)
  })

  it('with too much in pieces of which nobody said how many is refused with 413', async () => {
    const piece = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(0x100000, 'x'), Buffer.from('\r\n')])
    const head = 'POST /webhooks/forge HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n'
    const start = Buffer.from(`${head}transfer-encoding: chunked\r\n\r\n`)
    // A little more than the limit, and no end: a server that read on would not answer.
    const bytes = Buffer.concat([start, ...Array<Buffer>(3).fill(piece)])
    const { status } = await sendRaw(place.url, { bytes, withinMs: answerMs })
    expect(status).toBe(413)
  })
})

describe('a genuine webhook that makes no sense', { timeout: 30_000 }, () => {
  it.each([
    ['that is no JSON', '{"action": "queued", '],
    ['that is JSON of another kind', '[1, 2, 3]'],
    ['whose job has a negative number', JSON.stringify(message(-5))],
    ['whose job has no labels', JSON.stringify(message(6, { labels: null }))],
  ])('%s is kept, set aside with the reason, and counted', async (_, body) => {
    const before = await counted('holdfast_deliveries_worked_total', 'poison')
    const sent = await deliver(body)
    expect(sent.status).toBe(202)
    const kept = await settled(sent.guid)
    expect(kept).toMatchObject({ state: 'poison', tries: expect.any(Number) })
    expect(kept.note).toMatch(/expected|invalid|small/i)
    await expect.poll(() => counted('holdfast_deliveries_worked_total', 'poison')).toBe(before + 1)
  })

  it('from an installation that is not served is kept, ignored with the reason, and counted', async () => {
    const before = await counted('holdfast_deliveries_worked_total', 'ignored')
    const sent = await deliver(JSON.stringify({ ...message(7), installation: { id: 99 } }))
    expect(sent.status).toBe(202)
    const kept = await settled(sent.guid)
    expect(kept.state).toBe('ignored')
    expect(kept.note).toMatch(/installation 99/)
    await expect.poll(() => counted('holdfast_deliveries_worked_total', 'ignored')).toBe(before + 1)
    expect(await jobOf(7)).toBeUndefined()
  })

  it('about a job that is not ours is kept, ignored, and counted as foreign', async () => {
    const before = await counted('holdfast_deliveries_worked_total', 'foreign')
    const sent = await deliver(JSON.stringify(message(8, { labels: ['ubuntu-latest'] })))
    expect(await settled(sent.guid)).toMatchObject({ state: 'ignored' })
    await expect.poll(() => counted('holdfast_deliveries_worked_total', 'foreign')).toBe(before + 1)
    const asked = await fetch(`${place.url}/v1/jobs/github:8`)
    expect([asked.status, codeOf(await asked.text())]).toEqual([404, 'E_JOB_UNKNOWN'])
  })

  it.each([
    [20, '-000001-01-01T00:00:00Z'],
    [21, '0000-00-00T00:00:00Z'],
    [22, '+275760-09-13T00:00:00Z'],
    [23, '9999-12-31T23:59:59Z'],
    [24, '1969-12-31T23:59:59Z'],
    [25, -1],
    [26, 1e300],
  ])('about job %i with the time %s enters the job, without the time', async (id, time) => {
    const sent = await deliver(JSON.stringify(message(id, { created_at: time, started_at: time })))
    expect(await settled(sent.guid)).toMatchObject({ state: 'done' })
    expect(await jobOf(id)).toMatchObject({ state: 'queued' })
  })
})

describe('after all of it', () => {
  it('a good webhook is taken, a second one under its GUID is known, and the program is well', async () => {
    const body = JSON.stringify(message(100))
    const sent = await deliver(body)
    expect(sent.status).toBe(202)
    expect(await settled(sent.guid)).toMatchObject({ state: 'done' })
    expect(await jobOf(100)).toMatchObject({ state: 'queued' })
    const again = await deliver(body, { 'x-github-delivery': sent.guid })
    expect([again.status, JSON.parse(again.text)]).toEqual([202, { kind: 'duplicate', guid: sent.guid }])
    for (const path of ['/livez', '/readyz']) expect((await fetch(`${place.url}${path}`)).status).toBe(200)
  })
})

interface Sent {
  readonly guid: string
  readonly status: number | null
  readonly text: string
  readonly code: string | undefined
}

/** Sends a body as GitHub would, rightly signed unless something else is said. No answer may show our insides. */
async function deliver(content: string | Buffer, over: Record<string, string> = {}): Promise<Sent> {
  const body = Buffer.from(content as string)
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'workflow_job',
    'x-github-delivery': randomUUID(),
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    ...over,
  }
  const bytes = requestBytes('POST', '/webhooks/forge', headers, body)
  const { status, body: text } = await sendRaw(place.url, { bytes, withinMs: answerMs })
  expect(text).not.toMatch(/\.ts:\d+|node_modules|\bat async\b/)
  return { guid: headers['x-github-delivery'], status, text, code: codeOf(text) }
}

function message(id: number, over: Record<string, unknown> = {}) {
  return {
    action: 'queued',
    workflow_job: {
      id,
      run_id: 1_000 + id,
      run_attempt: 1,
      name: 'test',
      status: 'queued',
      conclusion: null,
      labels: ['self-hosted'],
      runner_name: null,
      created_at: new Date().toISOString(),
      ...over,
    },
    repository: { id: 1, full_name: 'acme/web', private: true },
    installation: { id: installationId },
  }
}

function codeOf(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { error?: { code: string } }).error?.code
  } catch {
    return undefined
  }
}

/** The sum of a counter's lines with this outcome. */
async function counted(metric: string, outcome: string): Promise<number> {
  const text = await (await fetch(`${place.url}/metrics`)).text()
  const lines = text.split('\n').filter((line) => line.startsWith(`${metric}{`))
  const meant = lines.filter((line) => line.includes(`outcome="${outcome}"`))
  return meant.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

async function deliveryOf(guid: string): Promise<ApiDelivery | undefined> {
  const answer = await fetch(`${place.url}/v1/deliveries?limit=500&state=poison,pending,done,ignored`)
  return ((await answer.json()) as DeliveryList).deliveries.find((delivery) => delivery.guid === guid)
}

/** The delivery once it was worked on. */
async function settled(guid: string): Promise<ApiDelivery> {
  for (;;) {
    const delivery = await deliveryOf(guid)
    if (delivery !== undefined && delivery.state !== 'pending') return delivery
    await setTimeout(lookEveryMs)
  }
}

async function jobOf(forgeJobId: number): Promise<JobSummary | undefined> {
  return (await knownJobs(place)).get(forgeJobId)
}
