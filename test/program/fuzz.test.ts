import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSecrets } from '../../src/adapters/vault/index.ts'
import { createEntropy } from '../../src/platform/entropy.ts'
import { ask } from '../support/embedded.ts'
import { createEmptyDatabase } from '../support/postgres.ts'
import { untilTestEnds } from '../support/until-test-ends.ts'
import { type AnyRequest, anyRequest, type Known } from './support/fuzz/request.ts'
import { newPlace } from './support/place.ts'
import { requestBytes, sendRaw } from './support/raw-http.ts'
import { startProgram } from './support/start-program.ts'

/** FUZZ_SEED=… makes another run; a failure says its seed. */
const seed = Number(process.env.FUZZ_SEED ?? 20_261_115)
const runsMax = 800
const atOnceMax = 8
const fuzzMs = 20_000
const answerMs = 5_000
/** A request that is framed wrongly may wait for more bytes, which never come. */
const unframedMs = 50

describe('malformed requests', { timeout: 90_000 }, () => {
  it('get no 5xx and no stack trace, and the program serves on', async () => {
    const place = untilTestEnds(await newPlace())
    const database = untilTestEnds(await createEmptyDatabase())
    const webhookSecret = randomBytes(12).toString('hex')
    const program = untilTestEnds(
      await startProgram(place, {
        env: {
          DATABASE_URL: database.url,
          HOLDFAST_FORGE_WEBHOOK_SECRETS: JSON.stringify([webhookSecret]),
          HOLDFAST_DISPATCH_POLL_MS: '50',
          HOLDFAST_POOLS: JSON.stringify([
            { name: 'local', labels: ['self-hosted'], minWarm: 0, maxRunners: 1, runnerCommand: ['true'] },
          ]),
        },
      }),
    )
    const known: Known = {
      webhookSecret,
      operatorToken: (await readFile(path.join(place.dataDir, 'operator-token'), 'utf8')).trim(),
      ...(await enrolRunner(database.url)),
    }
    const answered = new Map<number | null, number>()
    const some = fc.array(anyRequest(known), { minLength: 1, maxLength: atOnceMax })
    const property = fc.asyncProperty(some, async (requests) => {
      for (const status of await Promise.all(requests.map((one) => decentStatus(place.url, one)))) {
        answered.set(status, (answered.get(status) ?? 0) + 1)
      }
    })
    await fc.assert(property, {
      seed,
      numRuns: runsMax,
      interruptAfterTimeLimit: fuzzMs,
      markInterruptAsFailure: false,
      endOnFailure: true,
    })
    // It went behind the door: stored deliveries, questions that were answered, and refusals of each kind.
    for (const status of [202, 204, 400, 401, 404, 405, 410]) {
      expect.soft(answered.get(status) ?? 0, `answers ${status}`).toBeGreaterThan(0)
    }
    expect(await unsettled(database.url)).toEqual([])
    expect(await statusOf(place.url, 'GET', '/readyz')).toBe(200)
    expect(await statusOf(place.url, 'GET', '/livez')).toBe(200)
    expect(await sendGoodDelivery(place.url, webhookSecret)).toBe(202)
    const { err, code } = await program.end('SIGTERM')
    expect(code).toBe(0)
    expect(err.split('\n').filter((line) => /failed unexpectedly|could not be worked on/.test(line))).toEqual(
      [],
    )
  })
})

/** The status of an answer that may be given; throws where it is none. */
async function decentStatus(url: string, { bytes, isFramed, shown }: AnyRequest): Promise<number | null> {
  const withinMs = isFramed ? answerMs : unframedMs
  const { status, body, isOverdue } = await sendRaw(url, { bytes, withinMs })
  if (isFramed && isOverdue) throw new Error(`no answer within ${withinMs} ms for ${shown}`)
  if (status !== null && status >= 500) throw new Error(`${status} for ${shown}\n${body}`)
  if (/\bat .*\.(ts|js):\d+|node_modules/.test(body)) throw new Error(`a stack trace for ${shown}\n${body}`)
  return status
}

/** Deliveries that were stored and are not settled after a while. */
async function unsettled(databaseUrl: string): Promise<unknown[]> {
  const giveUpAt = performance.now() + answerMs
  for (;;) {
    const left = await ask(
      databaseUrl,
      `select guid, tries, note from deliveries where state = 'pending' limit 5`,
    )
    if (left.length === 0 || performance.now() > giveUpAt) return left
    await setTimeout(100)
  }
}

/** A runner that Holdfast knows, so that not all questions end at the door. */
async function enrolRunner(databaseUrl: string): Promise<{ runner: string; runnerSecret: string }> {
  const { secret, hash } = createSecrets(createEntropy()).create()
  await ask(
    databaseUrl,
    `insert into runners (name, pool, host, identity_hash, check_at)
     values ('known', 'local', 'elsewhere', '${hash}', now() + interval '1 hour');
     update runners set state = 'polling', polled_at = now() where name = 'known'`,
  )
  return { runner: 'known', runnerSecret: secret }
}

async function statusOf(url: string, method: string, target: string): Promise<number | null> {
  return (await sendRaw(url, { bytes: requestBytes(method, target, {}), withinMs: answerMs })).status
}

async function sendGoodDelivery(url: string, secret: string): Promise<number | null> {
  const body = JSON.stringify({ action: 'opened' })
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'workflow_job',
    'x-github-delivery': randomUUID(),
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  }
  const bytes = requestBytes('POST', '/webhooks/forge', headers, body)
  return (await sendRaw(url, { bytes, withinMs: answerMs })).status
}
