import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createGitHubWebhooks } from './index.ts'

const payload = {
  action: 'in_progress',
  workflow_job: {
    ...{ id: 7, run_id: 70, run_attempt: 1, name: 'build', labels: ['linux'] },
    ...{ status: 'in_progress', conclusion: null, runner_id: 3, runner_name: 'r-1' },
    ...{ created_at: '2026-01-02T03:04:05Z', started_at: '2026-01-02T03:05:00Z', completed_at: null },
  },
  repository: { id: 1, name: 'shop', full_name: 'acme/shop', owner: { login: 'acme' } },
}
const secrets = ['the new secret', 'the old secret']
const webhooks = createGitHubWebhooks({ installation: 'gh', secrets: () => secrets })

describe('the signature of a webhook', () => {
  it('is taken under any secret that is valid', () => {
    for (const secret of secrets) {
      expect(webhooks.verify(signed('{}', secret))).toEqual({
        kind: 'genuine',
        guid: 'guid-1',
        event: 'workflow_job',
      })
    }
  })

  it('is not taken under another secret, or where there is none', () => {
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
  it('is a word about a job for workflow_job', () => {
    expect(webhooks.parse('workflow_job', JSON.stringify(payload))).toEqual({
      kind: 'word',
      word: {
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

  it('is as far as the action or the job in it, whichever is further', () => {
    const status = (action: string, inJob: string) => {
      const job = { ...payload.workflow_job, status: inJob }
      const parsed = webhooks.parse('workflow_job', JSON.stringify({ ...payload, action, workflow_job: job }))
      return parsed.kind === 'word' && parsed.word.status
    }
    expect(status('queued', 'completed')).toBe('completed')
    expect(status('in_progress', 'queued')).toBe('in_progress')
    expect(status('queued', 'waiting')).toBe('queued')
  })

  it('is ignored for other events and for actions that change nothing here', () => {
    expect(webhooks.parse('push', '{}').kind).toBe('ignored')
    expect(webhooks.parse('ping', 'not even JSON').kind).toBe('ignored')
    const waiting = JSON.stringify({ ...payload, action: 'waiting' })
    expect(webhooks.parse('workflow_job', waiting).kind).toBe('ignored')
  })

  it('is malformed, with the place, where it is not as documented', () => {
    const broken = { ...payload, workflow_job: { ...payload.workflow_job, id: '7' } }
    const parsed = webhooks.parse('workflow_job', JSON.stringify(broken))
    expect(parsed).toMatchObject({ kind: 'malformed', why: expect.stringContaining('workflow_job.id') })
    expect(webhooks.parse('workflow_job', '{').kind).toBe('malformed')
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
