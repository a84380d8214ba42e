import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createNumbers } from './numbers.ts'
import type { Counting } from './version.ts'
import { createGiteaWebhooks } from './webhook.ts'

const secrets = ['the new secret', 'the old secret']
const make = (given = secrets, counting: Counting | null = 'given') =>
  createGiteaWebhooks({
    installation: 'gitea',
    secrets: () => given,
    numbers: createNumbers(
      async () => false,
      () => counting,
    ),
  })

/** As Gitea 1.26 writes it, without fields that are not read. */
const job = {
  id: 7,
  url: 'https://gitea.example/api/v1/repos/acme/shop/actions/jobs/7',
  run_id: 70,
  name: 'build',
  labels: ['self-hosted', 'linux'],
  run_attempt: 0,
  status: 'queued',
  steps: [],
  created_at: '2026-01-02T03:04:05Z',
  started_at: '1970-01-01T00:00:00Z',
  completed_at: '1970-01-01T00:00:00Z',
}
const running = {
  status: 'in_progress',
  run_attempt: 1,
  runner_id: 3,
  runner_name: 'r-1',
  started_at: '2026-01-02T03:05:00Z',
}
const ended = { ...running, status: 'completed', conclusion: 'failure', completed_at: '2026-01-02T03:06:00Z' }

describe('the signature of a webhook', () => {
  it('is accepted under any valid secret, in either of its two headers', () => {
    const genuine = { kind: 'genuine', guid: 'guid-1', event: 'workflow_job' }
    for (const secret of secrets) {
      const { headers, body } = signed('{}', secret)
      expect(make().verify({ headers, body })).toEqual(genuine)
      const { 'x-gitea-signature': hex, ...others } = headers
      expect(make().verify({ headers: { ...others, 'x-hub-signature-256': `sha256=${hex}` }, body })).toEqual(
        genuine,
      )
    }
  })

  it('is refused under another secret, and where there is none', () => {
    expect(make().verify(signed('{}', 'a stranger')).kind).toBe('refused')
    expect(make([]).verify(signed('{}', '')).kind).toBe('refused')
    const { 'x-gitea-signature': _, ...unsigned } = signed('{}', 'x').headers
    expect(make().verify({ headers: unsigned, body: Buffer.from('{}') })).toMatchObject({
      why: expect.stringContaining('give the webhook a secret'),
    })
  })

  it('covers every byte of the body', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), fc.nat(), (body, at) => {
        const delivery = signed(body, secrets[1] as string)
        const changed = body.slice()
        changed[at % body.length] = (changed[at % body.length] as number) ^ 1
        expect(make().verify(delivery).kind).toBe('genuine')
        expect(make().verify({ ...delivery, body: changed }).kind).toBe('refused')
      }),
    )
  })

  it.each(['x-gitea-delivery', 'x-gitea-event', 'content-type'])(
    'is not enough without a usable %s',
    (name) => {
      const { headers, body } = signed('{}', secrets[0] as string)
      expect(make().verify({ headers: { ...headers, [name]: 'not / usable' }, body }).kind).toBe('refused')
    },
  )
})

describe('a workflow_job delivery', () => {
  it('is an event of a queued job, without times that are not set', () => {
    expect(make().parse('workflow_job', message('queued', {}))).toEqual({
      kind: 'job-event',
      jobEvent: {
        job: {
          installation: 'gitea',
          forgeJobId: 7,
          runId: 70,
          runAttempt: 1,
          repository: 'acme/shop',
          name: 'build',
          labels: ['self-hosted', 'linux'],
        },
        status: 'queued',
        runnerName: null,
        conclusion: null,
        queuedAt: Date.UTC(2026, 0, 2, 3, 4, 5),
        startedAt: null,
        completedAt: null,
      },
    })
  })

  it('has the runner of the job and its conclusion', () => {
    const { parse } = make()
    expect(parse('workflow_job', message('in_progress', running))).toMatchObject({
      jobEvent: { status: 'in_progress', runnerName: 'r-1', completedAt: null, job: { forgeJobId: 7 } },
    })
    expect(parse('workflow_job', message('completed', ended))).toMatchObject({
      jobEvent: { status: 'completed', conclusion: 'failure', completedAt: Date.UTC(2026, 0, 2, 3, 6) },
    })
  })

  it('is about another job of the ledger when Gitea runs it again', () => {
    const again = message('queued', { run_attempt: 1 })
    expect(make().parse('workflow_job', again)).toMatchObject({
      jobEvent: { job: { forgeJobId: 1_000_000_000_007, runAttempt: 2 }, status: 'queued' },
    })
  })

  it('is about one job from queued to completed where each attempt has jobs of its own (1.27)', () => {
    const { parse } = make(secrets, 'attempt')
    const given = { run_attempt: 2, runner_id: 3, runner_name: 'r-1' }
    const messages = [
      message('queued', { run_attempt: 2 }),
      message('in_progress', { ...given, status: 'in_progress' }),
      message('completed', { ...given, status: 'completed', conclusion: 'success' }),
    ]
    for (const each of messages) {
      expect(parse('workflow_job', each)).toMatchObject({
        jobEvent: { job: { forgeJobId: 7, runAttempt: 2 } },
      })
    }
  })

  it('waits while the release of the sender is unknown: a guess would make two jobs of one', () => {
    expect(make(secrets, null).parse('workflow_job', message('queued', {})).kind).toBe('deferred')
  })

  it('is ignored while the job waits for others, and where it was skipped: no runner may start for it', () => {
    const { parse } = make()
    expect(parse('workflow_job', message('waiting', { status: 'waiting' })).kind).toBe('ignored')
    const skipped = { status: 'completed', conclusion: 'skipped' }
    expect(parse('workflow_job', message('completed', skipped)).kind).toBe('ignored')
    expect(parse('workflow_run', '{}').kind).toBe('ignored')
  })

  it('is an end before any runner, and the same job rerun is another one', () => {
    const { parse } = make()
    const cancelled = message('completed', { status: 'completed', conclusion: 'cancelled' })
    const number = { jobEvent: { job: { forgeJobId: 7 } } }
    expect(parse('workflow_job', message('queued', {}))).toMatchObject(number)
    expect(parse('workflow_job', cancelled)).toMatchObject(number)
    expect(parse('workflow_job', cancelled)).toMatchObject(number)
    const later = { jobEvent: { job: { forgeJobId: 1_000_000_000_007 } } }
    expect(parse('workflow_job', message('queued', {}))).toMatchObject(later)
    expect(parse('workflow_job', message('queued', {}))).toMatchObject(later)
    expect(parse('workflow_job', message('in_progress', running))).toMatchObject(later)
    expect(parse('workflow_job', message('completed', ended))).toMatchObject(later)
  })

  it.each([
    ['no JSON', 'no JSON'],
    ['an id that is too large', message('queued', { id: 1e12 })],
    ['a status of its own', message('queued', { status: 'dreaming' })],
    ['no repository', JSON.stringify({ action: 'queued', workflow_job: job })],
  ])('is malformed with %s', (_, body) => {
    expect(make().parse('workflow_job', body).kind).toBe('malformed')
  })

  it('is accepted whatever its times are', () => {
    for (const created_at of ['+275760-09-13T00:00:00Z', '2999-01-01T00:00:00Z', 'noon', 5, null]) {
      expect(make().parse('workflow_job', message('queued', { created_at }))).toMatchObject({
        jobEvent: { queuedAt: null },
      })
    }
  })
})

function message(action: string, over: object): string {
  const repository = { id: 1, full_name: 'acme/shop' }
  return JSON.stringify({ action, workflow_job: { ...job, ...over }, repository })
}

function signed(body: string | Uint8Array, secret: string) {
  const bytes = Buffer.from(body)
  const headers = {
    'content-type': 'application/json',
    'x-gitea-delivery': 'guid-1',
    'x-gitea-event': 'workflow_job',
    'x-gitea-signature': createHmac('sha256', secret).update(bytes).digest('hex'),
  }
  return { headers, body: bytes }
}
