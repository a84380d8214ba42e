import type { JobEvent } from '../../src/domain/job-event/index.ts'
import type { Secrets } from '../../src/ports/secrets.ts'
import type { Vault } from '../../src/ports/vault.ts'
import type { Webhooks } from '../../src/ports/webhooks.ts'
import type { Random } from './random.ts'

/** The vault without its mathematics: what is sealed under one context does not open under another. */
export const plainVault: Vault = {
  currentKeyId: 'plain',
  seal: (plaintext, context) => ({
    keyId: 'plain',
    bytes: new TextEncoder().encode(JSON.stringify([context, plaintext])),
  }),
  open(sealed, context) {
    const [sealedContext, plaintext] = JSON.parse(new TextDecoder().decode(sealed.bytes))
    if (sealedContext !== context) throw new Error(`sealed for ${sealedContext}, opened for ${context}`)
    return plaintext
  },
}

export function plainSecrets(random: Random): Secrets {
  return {
    create() {
      const secret = random.bytes(8).join('.')
      return { secret, hash: hashOf(secret) }
    },
    matches: (secret, hash) => hash === hashOf(secret),
  }
}

export function hashOf(secret: string): string {
  return `hash of ${secret}`
}

/** Messages of the simulated forge, accepted without a signature. */
export function plainWebhooks(installation: string): Webhooks {
  return {
    verify({ headers }) {
      return {
        kind: 'genuine',
        guid: headers['x-github-delivery'] as string,
        event: headers['x-github-event'] as string,
      }
    },
    parse(event, body) {
      if (event === 'ping') return { kind: 'ping' }
      if (event !== 'workflow_job') return { kind: 'ignored', why: `${event} is not about a job` }
      const payload: Payload = JSON.parse(body)
      return { kind: 'job-event', jobEvent: jobEventOf(payload, installation) }
    },
  }
}

/** Whether a job is announced that no runner may have yet. */
function isEarly(action: Payload['action'], status: string): boolean {
  return action === 'waiting' || (action === 'queued' && status === 'waiting')
}

interface Payload {
  readonly action: JobEvent['status'] | 'waiting'
  readonly workflow_job: {
    readonly status: string
    readonly id: number
    readonly run_id: number
    readonly run_attempt: number
    readonly name: string
    readonly workflow_name: string
    readonly labels: readonly string[]
    readonly runner_name: string | null
    readonly conclusion: string | null
    readonly created_at: string
    readonly started_at: string
    readonly completed_at: string | null
  }
  readonly repository: { readonly full_name: string; readonly private: boolean }
}

function jobEventOf({ action, workflow_job: job, repository }: Payload, installation: string): JobEvent {
  return {
    job: {
      installation,
      forgeJobId: job.id,
      runId: job.run_id,
      runAttempt: job.run_attempt,
      repository: repository.full_name,
      name: job.name,
      workflow: job.workflow_name,
      visibility: repository.private ? 'private' : 'public',
      labels: job.labels,
    },
    status: action === 'waiting' ? 'queued' : action,
    ...(isEarly(action, job.status) && { waitsForApproval: true as const }),
    runnerName: job.runner_name,
    conclusion: job.conclusion,
    queuedAt: Date.parse(job.created_at),
    startedAt: action === 'queued' ? null : Date.parse(job.started_at),
    completedAt: job.completed_at === null ? null : Date.parse(job.completed_at),
  }
}
