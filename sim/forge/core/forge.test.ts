import { describe, expect, it } from 'vitest'
import { createForgeCore, type ForgeCore, lostCommunication, type PollResult } from './index.ts'
import { seededEntropy } from './seeded-entropy.ts'

const repository = 'acme/shop'
const labels = ['self-hosted', 'linux']
const delays = {
  jitExpiresAfterMs: 300_000,
  offlineAfterMs: 10_000,
  lostAfterMs: 60_000,
  offlineRemovedAfterMs: 3_600_000,
}

describe('a job at the simulated forge', () => {
  it('goes through queued, in progress and completed, and says so in that order', () => {
    const forge = newForge()
    const { runId, jobIds } = submit(forge, 0)
    const { session, runnerId } = connectNew(forge, 'r-1', 1_000)
    expect(forge.poll(session, 2_000)).toMatchObject({ kind: 'job', job: { id: jobIds[0] } })
    expect(forge.complete(session, jobIds[0] as number, 'success', 9_000)).toBe('completed')
    const webhooks = forge.takeWebhooks()
    expect(webhooks.map((webhook) => webhook.payload.action)).toEqual(['queued', 'in_progress', 'completed'])
    expect(new Set(webhooks.map((webhook) => webhook.guid)).size).toBe(3)
    expect(webhooks[2]?.payload).toMatchObject({
      action: 'completed',
      workflow_job: {
        id: jobIds[0],
        run_id: runId,
        run_attempt: 1,
        name: 'build',
        labels,
        status: 'completed',
        conclusion: 'success',
        runner_id: runnerId,
        runner_name: 'r-1',
        created_at: '1970-01-01T00:00:00Z',
        started_at: '1970-01-01T00:00:02Z',
        completed_at: '1970-01-01T00:00:09Z',
      },
      repository: { name: 'shop', full_name: repository, owner: { login: 'acme' } },
    })
    expect(forge.takeWebhooks()).toEqual([])
  })

  it('goes to any runner whose labels contain its own, in whatever case', () => {
    const forge = newForge()
    submit(forge, 0, { labels: ['Self-Hosted', 'gpu'] })
    const second = submit(forge, 0, { labels: ['LINUX'] })
    const { session } = connectNew(forge, 'r-1', 0)
    expect(jobIdOf(forge.poll(session, 1))).toBe(second.jobIds[0])
  })

  it('does not go to a runner of another repository', () => {
    const forge = newForge()
    submit(forge, 0, { repository: 'acme/other' })
    const { session } = connectNew(forge, 'r-1', 0)
    expect(forge.poll(session, 1)).toEqual({ kind: 'nothing' })
  })

  it('is returned once more, without a new start, to a runner that asks again', () => {
    const forge = newForge()
    const { jobIds } = submit(forge, 0)
    submit(forge, 0)
    const { session } = connectNew(forge, 'r-1', 0)
    expect(jobIdOf(forge.poll(session, 1))).toBe(jobIds[0])
    expect(jobIdOf(forge.poll(session, 2))).toBe(jobIds[0])
    expect(forge.job(jobIds[0] as number)?.starts).toHaveLength(1)
  })

  it('fails with the known annotation once its runner was silent for too long', () => {
    const forge = newForge()
    const { jobIds } = submit(forge, 0)
    const jobId = jobIds[0] as number
    const { session } = connectNew(forge, 'r-1', 0)
    forge.poll(session, 1_000)
    expect(forge.renew(session, jobId, 20_000)).toBe('renewed')
    forge.advance(79_999)
    expect(forge.job(jobId)?.status).toBe('in_progress')
    expect(forge.runners(repository)).toMatchObject([{ state: 'offline', jobId }])
    forge.advance(200_000)
    expect(forge.job(jobId)).toMatchObject({
      status: 'completed',
      conclusion: 'failure',
      completedAt: 80_000,
      annotations: [lostCommunication],
    })
    expect(forge.runners(repository)).toEqual([])
    expect(forge.renew(session, jobId, 200_001)).toBe('lost')
    expect(forge.complete(session, jobId, 'success', 200_002)).toBe('lost')
  })

  it('does not fail while its runner renews', () => {
    const forge = newForge()
    const jobId = submit(forge, 0).jobIds[0] as number
    const { session } = connectNew(forge, 'r-1', 0)
    forge.poll(session, 0)
    for (let now = 0; now < 600_000; now += 50_000) expect(forge.renew(session, jobId, now)).toBe('renewed')
    expect(forge.job(jobId)?.status).toBe('in_progress')
  })

  it('takes the report of its end twice, because the answer may have been lost', () => {
    const forge = newForge()
    const jobId = submit(forge, 0).jobIds[0] as number
    const { session } = connectNew(forge, 'r-1', 0)
    forge.poll(session, 0)
    expect(forge.complete(session, jobId, 'failure', 1)).toBe('completed')
    expect(forge.complete(session, jobId, 'failure', 2)).toBe('completed')
    expect(forge.job(jobId)?.ends).toHaveLength(1)
  })

  it('stays in progress after a cancel until its runner reports, which learns of it at the next renewal', () => {
    const forge = newForge()
    const jobId = submit(forge, 0).jobIds[0] as number
    const { session } = connectNew(forge, 'r-1', 0)
    forge.poll(session, 0)
    expect(forge.cancel(jobId, 1)).toBe('cancelled')
    expect(forge.job(jobId)?.status).toBe('in_progress')
    expect(forge.renew(session, jobId, 2)).toBe('cancelled')
    expect(forge.cancel(jobId, 3)).toBe('cancelled')
    expect(forge.complete(session, jobId, 'cancelled', 4)).toBe('completed')
    expect(forge.cancel(jobId, 5)).toBe('over')
    expect(forge.job(jobId)).toMatchObject({ conclusion: 'cancelled', ends: [{ at: 4 }] })
  })
})

describe('a runner at the simulated forge', () => {
  it('is refused under a name that exists, and not once that name is free', () => {
    const forge = newForge()
    const { session, runnerId } = connectNew(forge, 'r-1', 0)
    expect(forge.mint({ repository, name: 'r-1', labels }, 1)).toEqual({ kind: 'name-taken' })
    expect(forge.removeRunner(repository, runnerId, 2)).toBe('removed')
    expect(forge.poll(session, 3)).toEqual({ kind: 'gone' })
    expect(forge.mint({ repository, name: 'r-1', labels }, 4)).toMatchObject({ kind: 'minted' })
  })

  it('is refused in a repository that does not exist', () => {
    expect(newForge().mint({ repository: 'acme/none', name: 'r-1', labels }, 1)).toEqual({
      kind: 'no-repository',
    })
  })

  it('cannot be removed while it is busy, and can before', () => {
    const forge = newForge()
    submit(forge, 0)
    const busy = connectNew(forge, 'r-1', 0)
    forge.poll(busy.session, 1)
    const idle = connectNew(forge, 'r-2', 0)
    expect(forge.removeRunner(repository, busy.runnerId, 2)).toBe('busy')
    expect(forge.removeRunner(repository, idle.runnerId, 2)).toBe('removed')
    expect(forge.removeRunner(repository, idle.runnerId, 3)).toBe('absent')
  })

  it('vanishes after its one job', () => {
    const forge = newForge()
    const jobId = submit(forge, 0).jobIds[0] as number
    submit(forge, 0)
    const { session } = connectNew(forge, 'r-1', 0)
    forge.poll(session, 1)
    forge.complete(session, jobId, 'success', 2)
    expect(forge.runners(repository)).toEqual([])
    expect(forge.poll(session, 3)).toEqual({ kind: 'gone' })
  })

  it('gives its configuration to one program only', () => {
    const forge = newForge()
    const jit = mintNew(forge, 'r-1', 0)
    const first = forge.connect(jit, 'program-a', 1)
    expect(forge.connect(jit, 'program-b', 2)).toEqual({ kind: 'conflict' })
    expect(forge.connect(jit, 'program-a', 3)).toMatchObject({
      kind: 'connected',
      session: first.kind === 'connected' ? first.session : 'none',
    })
    expect(forge.overlaps()).toEqual([
      { kind: 'jit-used-by-two', runner: 'r-1', owners: ['program-a', 'program-b'] },
    ])
  })

  it('remembers a used configuration after the runner is gone', () => {
    const forge = newForge()
    const jobId = submit(forge, 0).jobIds[0] as number
    const jit = mintNew(forge, 'r-1', 0)
    const connected = forge.connect(jit, 'program-a', 1)
    const session = connected.kind === 'connected' ? connected.session : ''
    forge.poll(session, 1)
    forge.complete(session, jobId, 'success', 2)
    expect(forge.connect(jit, 'program-b', 3)).toEqual({ kind: 'conflict' })
  })

  it('cannot connect once its unused configuration expired, and can just before', () => {
    const forge = newForge()
    const late = mintNew(forge, 'r-1', 0)
    const early = mintNew(forge, 'r-2', 0)
    expect(forge.connect(early, 'a', 299_999).kind).toBe('connected')
    expect(forge.connect(late, 'b', 300_000)).toEqual({ kind: 'expired' })
    expect(forge.overlaps()).toEqual([])
  })

  it('is removed after being offline for long, and comes back before', () => {
    const forge = newForge()
    const { session } = connectNew(forge, 'r-1', 0)
    mintNew(forge, 'r-2', 0)
    forge.advance(3_000_000)
    expect(forge.runners(repository).map((runner) => runner.state)).toEqual(['offline', 'minted'])
    expect(forge.poll(session, 3_000_000)).toEqual({ kind: 'nothing' })
    forge.advance(3_600_000)
    expect(forge.runners(repository).map((runner) => runner.name)).toEqual(['r-1'])
    forge.advance(10_000_000)
    expect(forge.runners(repository)).toEqual([])
    expect(forge.nextDeadline()).toBeNull()
  })

  it('is not blamed for a silence while the forge itself was down', () => {
    const forge = newForge()
    const jobId = submit(forge, 0).jobIds[0] as number
    const { session } = connectNew(forge, 'r-1', 0)
    forge.poll(session, 0)
    const later = createForgeCore({ entropy: seededEntropy(2), delays, snapshot: jsonCopy(forge.snapshot()) })
    later.resume(5_000_000)
    expect(later.renew(session, jobId, 5_000_001)).toBe('renewed')
  })
})

function newForge(): ForgeCore {
  const forge = createForgeCore({ entropy: seededEntropy(1), delays })
  forge.addRepository(repository, 0)
  return forge
}

function submit(forge: ForgeCore, now: number, change: { repository?: string; labels?: string[] } = {}) {
  const job = { name: 'build', labels: change.labels ?? labels, script: 'true' }
  return forge.submit({ repository: change.repository ?? repository, workflow: 'ci', jobs: [job] }, now)
}

function mintNew(forge: ForgeCore, name: string, now: number): string {
  const minted = forge.mint({ repository, name, labels }, now)
  if (minted.kind !== 'minted') throw new Error(minted.kind)
  return minted.jit
}

function connectNew(forge: ForgeCore, name: string, now: number) {
  const connected = forge.connect(mintNew(forge, name, now), `program of ${name}`, now)
  if (connected.kind !== 'connected') throw new Error(connected.kind)
  return { session: connected.session, runnerId: connected.runner.id }
}

function jobIdOf(polled: PollResult): number | null {
  return polled.kind === 'job' ? polled.job.id : null
}

function jsonCopy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}
