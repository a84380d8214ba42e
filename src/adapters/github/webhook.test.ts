import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createGitHubWebhooks } from './index.ts'

const payload = {
  action: 'in_progress',
  workflow_job: {
    id: 7,
    run_id: 70,
    run_attempt: 1,
    name: 'build',
    labels: ['linux'],
    status: 'in_progress',
    conclusion: null,
    runner_id: 3,
    runner_name: 'r-1',
    created_at: '2026-01-02T03:04:05Z',
    started_at: '2026-01-02T03:05:00Z',
    completed_at: null,
  },
  repository: { id: 1, name: 'shop', full_name: 'acme/shop', owner: { login: 'acme' } },
}
const secrets = ['the new secret', 'the old secret']
const webhooks = createGitHubWebhooks({ installation: 'gh', secrets: () => secrets })

describe('the signature of a webhook', () => {
  it('is accepted under any valid secret', () => {
    for (const secret of secrets) {
      expect(webhooks.verify(signed('{}', secret))).toEqual({
        kind: 'genuine',
        guid: 'guid-1',
        event: 'workflow_job',
      })
    }
  })

  it('is refused under another secret, or where there is none', () => {
    expect(webhooks.verify(signed('{}', 'a stranger'))).toMatchObject({ kind: 'refused' })
    const none = createGitHubWebhooks({ installation: 'gh', secrets: () => [] })
    expect(none.verify(signed('{}', secrets[0] as string))).toMatchObject({ kind: 'refused' })
    expect(none.verify(signed('{}', ''))).toMatchObject({ kind: 'refused' })
  })

  it('covers every byte of the body', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (body, at, flip) => {
          const delivery = signed(body, secrets[1] as string)
          expect(webhooks.verify(delivery).kind).toBe('genuine')
          const changed = body.slice()
          const index = at % body.length
          changed[index] = (changed[index] as number) ^ flip
          expect(webhooks.verify({ ...delivery, body: changed }).kind).toBe('refused')
        },
      ),
    )
  })

  it('is refused in any other form, without an exception', () => {
    const hex = 'a'.repeat(64)
    const forms = ['', 'sha256=', `sha1=${hex}`, hex, `sha256=${hex}a`, `sha256=${'z'.repeat(64)}`, '\u0000']
    for (const form of forms) {
      const { headers, body } = signed('{}', secrets[0] as string)
      const delivery = { headers: { ...headers, 'x-hub-signature-256': form }, body }
      expect(webhooks.verify(delivery).kind).toBe('refused')
    }
  })

  it('does not help a delivery without its id, its event or JSON', () => {
    const missing = [
      { 'x-github-delivery': undefined },
      { 'x-github-delivery': "1'; --" },
      { 'x-github-event': undefined },
      { 'content-type': 'application/x-www-form-urlencoded' },
    ]
    for (const change of missing) {
      const { headers, body } = signed('{}', secrets[0] as string)
      expect(webhooks.verify({ headers: { ...headers, ...change }, body }).kind).toBe('refused')
    }
  })
})

describe('the content of a webhook', () => {
  it.each([
    [true, 'private'],
    [false, 'public'],
    [undefined, undefined],
    ['yes', undefined],
  ])('says of a repository with private: %s that it is %s', (given, visibility) => {
    const body = JSON.stringify({ ...payload, repository: { ...payload.repository, private: given } })
    const parsed = webhooks.parse('workflow_job', body)
    expect(parsed.kind === 'job-event' && parsed.jobEvent.job.visibility).toBe(visibility)
  })

  it('is a job event for workflow_job', () => {
    expect(webhooks.parse('workflow_job', JSON.stringify(payload))).toEqual({
      kind: 'job-event',
      jobEvent: {
        job: {
          installation: 'gh',
          forgeJobId: 7,
          runId: 70,
          runAttempt: 1,
          repository: 'acme/shop',
          name: 'build',
          labels: ['linux'],
        },
        status: 'in_progress',
        runnerName: 'r-1',
        conclusion: null,
        queuedAt: Date.UTC(2026, 0, 2, 3, 4, 5),
        startedAt: Date.UTC(2026, 0, 2, 3, 5, 0),
        completedAt: null,
      },
    })
  })

  it('has the status of the action or of the job in it, whichever is further', () => {
    const status = (action: string, inJob: string) => {
      const job = { ...payload.workflow_job, status: inJob }
      const parsed = webhooks.parse('workflow_job', JSON.stringify({ ...payload, action, workflow_job: job }))
      return parsed.kind === 'job-event' && parsed.jobEvent.status
    }
    expect(status('queued', 'completed')).toBe('completed')
    expect(status('in_progress', 'queued')).toBe('in_progress')
    expect(status('queued', 'waiting')).toBe('queued')
  })

  it('is ignored for other events and for actions that change nothing here', () => {
    expect(webhooks.parse('push', '{}').kind).toBe('ignored')
    const unknown = JSON.stringify({ ...payload, action: 'renamed' })
    expect(webhooks.parse('workflow_job', unknown).kind).toBe('ignored')
  })

  it('is a waiting job where it needs an approval although the action says queued', () => {
    const waits = (action: string, inJob: string) => {
      const job = { ...payload.workflow_job, status: inJob }
      const parsed = webhooks.parse('workflow_job', JSON.stringify({ ...payload, action, workflow_job: job }))
      return (
        parsed.kind === 'job-event' && [parsed.jobEvent.status, parsed.jobEvent.waitsForApproval === true]
      )
    }
    expect(waits('waiting', 'waiting')).toEqual(['queued', true])
    expect(waits('queued', 'pending')).toEqual(['queued', true])
    expect(waits('queued', 'queued')).toEqual(['queued', false])
    expect(waits('in_progress', 'waiting')).toEqual(['in_progress', false])
  })

  it('is malformed, with the path of the field, where it is invalid', () => {
    const broken = { ...payload, workflow_job: { ...payload.workflow_job, id: '7' } }
    const parsed = webhooks.parse('workflow_job', JSON.stringify(broken))
    expect(parsed).toMatchObject({ kind: 'malformed', why: expect.stringContaining('workflow_job.id') })
    expect(webhooks.parse('workflow_job', '{').kind).toBe('malformed')
  })

  it('is a ping for ping, whatever its body', () => {
    expect(webhooks.parse('ping', '{"zen":"Keep it logically awesome."}')).toEqual({ kind: 'ping' })
    expect(webhooks.parse('ping', 'not even JSON')).toEqual({ kind: 'ping' })
  })

  it('is ignored, with a reason, where it is from an installation that is not served', () => {
    const from = (id: number | null) =>
      JSON.stringify({ ...payload, ...(id !== null && { installation: { id } }) })
    const only = createGitHubWebhooks({ installation: 'gh', secrets: () => secrets, installationId: 11 })
    expect(only.parse('workflow_job', from(12))).toEqual({
      kind: 'ignored',
      why: 'it is from installation 12 of the App, and forge.app.installationId is 11',
    })
    expect(only.parse('workflow_job', from(11)).kind).toBe('job-event')
    // A hook of a repository's own names no installation.
    expect(only.parse('workflow_job', from(null)).kind).toBe('job-event')
    expect(webhooks.parse('workflow_job', from(12)).kind).toBe('job-event')
  })

  it('has no time where that in it is absurd, and is a job event all the same', () => {
    const now = Date.UTC(2026, 5, 1)
    const late = createGitHubWebhooks({ installation: 'gh', secrets: () => secrets, now: () => now })
    const queuedAt = (created_at: unknown) => {
      const body = JSON.stringify({ ...payload, workflow_job: { ...payload.workflow_job, created_at } })
      const parsed = late.parse('workflow_job', body)
      return parsed.kind === 'job-event' ? parsed.jobEvent.queuedAt : parsed
    }
    const absurd = [
      ...['-000001-01-01T00:00:00Z', '1969-12-31T23:59:59Z', '0000-00-00T00:00:00Z', '2026-06-03T00:00:00Z'],
      ...['9999-12-31T23:59:59Z', '+275760-09-13T00:00:00Z', '2026-13-45T99:99:99Z', 'yesterday', '', '2026'],
      ...[-1, 1e300, null, undefined, {}, [], true],
    ]
    for (const each of absurd) expect([each, queuedAt(each)]).toEqual([each, null])
    expect(queuedAt('2026-06-01T10:00:00Z')).toBe(now + 10 * 3_600_000)
    expect(queuedAt('2026-05-31T12:00:00+02:00')).toBe(now - 14 * 3_600_000)
  })

  it('is malformed where the ledger could not store it', () => {
    const why = (change: object) => {
      const body = JSON.stringify({ ...payload, workflow_job: { ...payload.workflow_job, ...change } })
      const parsed = webhooks.parse('workflow_job', body)
      return parsed.kind === 'malformed' ? parsed.why : parsed.kind
    }
    expect(why({ name: 'a\0b' })).toContain('workflow_job.name')
    expect(why({ labels: ['\0'] })).toContain('workflow_job.labels')
    expect(why({ id: -7 })).toContain('workflow_job.id')
    expect(why({ id: 1e300 })).toContain('workflow_job.id')
    expect(why({ run_attempt: 2 ** 31 })).toContain('workflow_job.run_attempt')
  })

  it('never throws, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (body) => {
        expect(['malformed', 'ignored']).toContain(webhooks.parse('workflow_job', body).kind)
      }),
    )
  })
})

function signed(body: string | Uint8Array, secret: string) {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const signature = createHmac('sha256', secret).update(bytes).digest('hex')
  return {
    headers: {
      'x-hub-signature-256': `sha256=${signature}`,
      'x-github-delivery': 'guid-1',
      'x-github-event': 'workflow_job',
      'content-type': 'application/json',
    } as Record<string, string | undefined>,
    body: bytes,
  }
}
