import { describe, expect, it } from 'vitest'
import { drainJobMessages, job, newForge, repository, runNext, submit } from '../testing/workflows.ts'

describe('a run that a person deletes', () => {
  it('is unknown from then on with all its jobs, without a message; the truth keeps it', () => {
    const forge = newForge()
    const { runId, jobIds } = submit(forge, [job('build')])
    const id = jobIds[0] as number
    expect(forge.deleteRun(runId, 10)).toBe('running')
    runNext(forge, 'success')
    drainJobMessages(forge)
    forge.keepPast(1_000)
    expect(forge.deleteRun(runId, 2_000)).toBe('deleted')
    expect([forge.run(runId), forge.job(id), forge.jobs(), forge.runs(repository)]).toEqual([
      null,
      null,
      [],
      [],
    ])
    expect(forge.jobsOf(runId)).toEqual([])
    expect(forge.past(1).job(id)).toMatchObject({ conclusion: 'success' })
    expect(forge.deleteRun(runId, 2_001)).toBe('absent')
    expect(forge.rerun(runId, 'all', 2_001)).toBe('absent')
    expect(drainJobMessages(forge)).toEqual([])
    expect(forge.truth().jobs).toMatchObject([{ id, conclusion: 'success', deletedAt: 2_000 }])
    expect(forge.jobsEver().map((each) => each.id)).toEqual([id])
  })
})

describe('a job without labels', () => {
  it('is given to no runner, whatever that one offers', () => {
    const forge = newForge()
    submit(forge, [job('anywhere', { labels: [] })])
    expect(runNext(forge, 'success')).toBeNull()
    expect(forge.jobs()).toMatchObject([{ status: 'queued', runnerId: null }])
  })

  it('is run by the forge itself where that was asked for', () => {
    const forge = newForge()
    const { runId } = submit(forge, [job('hosted', { labels: [], elsewhereMs: 1_000 })])
    expect(forge.nextDeadline()).toBe(1_000)
    forge.advance(1_000)
    expect(forge.jobs()).toMatchObject([
      { status: 'in_progress', runnerName: expect.stringMatching('GitHub Actions') },
    ])
    forge.advance(2_000)
    expect(forge.run(runId)).toMatchObject({ status: 'completed', conclusion: 'success' })
    expect(drainJobMessages(forge)).toEqual(['hosted queued', 'hosted in_progress', 'hosted success'])
    expect(forge.nextDeadline()).toBeNull()
  })
})

describe('a job for an environment that needs an approval', () => {
  const deploy = job('deploy', { environment: 'production' })

  it('waits, is announced as queued twice, and is given to a runner only after the approval', () => {
    const forge = newForge()
    const { runId } = submit(forge, [job('build'), { ...deploy, needs: ['build'] }])
    runNext(forge, 'success')
    drainJobMessages(forge)
    expect(forge.run(runId)).toMatchObject({ status: 'waiting' })
    expect(runNext(forge, 'success')).toBeNull()
    const [pending] = forge.pending(runId)
    expect(pending).toMatchObject({ name: 'production', jobs: [{ name: 'deploy', status: 'waiting' }] })
    expect(forge.review(runId, [1], true, 10)).toEqual([])
    expect(forge.review(runId, [pending?.id ?? 0], true, 10)).toHaveLength(1)
    expect(runNext(forge, 'success')).toBe('deploy')
    expect(forge.pending(runId)).toEqual([])
    expect(forge.run(runId)).toMatchObject({ status: 'completed', conclusion: 'success' })
  })

  it('is announced as queued with the status waiting, as waiting, and as queued again', () => {
    const forge = newForge()
    const { runId } = submit(forge, [deploy])
    const [pending] = forge.pending(runId)
    forge.review(runId, [pending?.id ?? 0], true, 10)
    const messages = forge.takeWebhooks().map(({ payload }) => {
      const shown = payload as { action: string; workflow_job: { status: string }; deployment: object }
      return [shown.action, shown.workflow_job.status, 'deployment' in shown]
    })
    expect(messages).toEqual([
      ['queued', 'waiting', true],
      ['waiting', 'waiting', true],
      ['queued', 'queued', true],
    ])
  })

  it('fails without having begun when the approval is rejected, and is cancelled like any other', () => {
    const forge = newForge()
    const first = submit(forge, [deploy])
    forge.review(first.runId, [forge.pending(first.runId)[0]?.id ?? 0], false, 10)
    expect(forge.run(first.runId)).toMatchObject({ status: 'completed', conclusion: 'failure' })
    const second = submit(forge, [deploy])
    expect(forge.cancelRun(second.runId, 20)).toBe('cancelled')
    expect(forge.run(second.runId)).toMatchObject({ conclusion: 'cancelled' })
  })
})

describe('a run with no job left to run again', () => {
  it('is refused: nothing failed, or the job is of an older attempt', () => {
    const forge = newForge()
    const { runId, jobIds } = submit(forge, [job('build')])
    runNext(forge, 'success')
    expect(forge.rerun(runId, 'failed', 60)).toBe('nothing')
    const jobId = jobIds[0] as number
    expect(forge.rerun(runId, { jobId }, 60)).toBe('started')
    runNext(forge, 'success')
    expect(forge.rerun(runId, { jobId }, 70)).toBe('old-attempt')
  })

  it('copies the successful jobs into the new attempt, under new ids and without a webhook', () => {
    const forge = newForge()
    const { runId } = submit(forge, [job('build'), job('test')])
    runNext(forge, 'success')
    runNext(forge, 'failure')
    drainJobMessages(forge)
    forge.rerun(runId, 'failed', 60)
    const [build, test] = forge.jobsOf(runId, 2)
    const [first] = forge.jobsOf(runId, 1)
    expect(build).toMatchObject({ name: 'build', conclusion: 'success', runnerName: first?.runnerName })
    expect(build?.id).not.toBe(first?.id)
    expect(test).toMatchObject({ name: 'test', status: 'queued' })
    expect(drainJobMessages(forge)).toEqual(['test queued'])
    expect(forge.overlaps()).toEqual([])
  })
})

describe('a job that no runner takes', () => {
  it('is ended after a day, and one that was approved later has a day from then', () => {
    const forge = newForge()
    const dayMs = 24 * 60 * 60_000
    const { runId } = submit(forge, [job('build'), job('deploy', { environment: 'production' })])
    forge.review(runId, [forge.pending(runId)[0]?.id ?? 0], true, 1_000)
    forge.advance(dayMs)
    const states = () => forge.jobsOf(runId).map(({ conclusion, status }) => conclusion ?? status)
    expect(states()).toEqual(['cancelled', 'queued'])
    forge.advance(dayMs + 1_000)
    expect(states()).toEqual(['cancelled', 'cancelled'])
  })
})

describe('a job that a person cancels while it runs', () => {
  const started = () => {
    const forge = newForge()
    const { runId, jobIds } = submit(forge, [job('build'), job('clean', { needs: ['build'] })])
    const minted = forge.mint({ repository, name: 'r-1', labels: ['linux'] }, 0)
    const connected = minted.kind === 'minted' ? forge.connect(minted.jit, 'program', 0) : null
    const session = connected?.kind === 'connected' ? connected.session : ''
    forge.poll(session, 0)
    return { forge, runId, session, jobId: jobIds[0] as number }
  }

  it('is ended by force when its runner says nothing for five minutes', () => {
    const { forge, runId, session, jobId } = started()
    expect(forge.cancelRun(runId, 10)).toBe('cancelled')
    expect(forge.run(runId)).toMatchObject({ status: 'in_progress' })
    const forcedAt = 10 + 5 * 60_000
    for (let at = 60_000; at < forcedAt; at += 60_000) forge.renew(session, jobId, at)
    forge.advance(forcedAt - 1)
    expect(forge.job(jobId)?.status).toBe('in_progress')
    forge.advance(forcedAt)
    expect(forge.run(runId)).toMatchObject({ status: 'completed', conclusion: 'cancelled' })
    expect(forge.complete(session, jobId, 'cancelled', forcedAt + 1)).toBe('lost')
  })

  it('ends at once where the cancellation is forced', () => {
    const { forge, runId } = started()
    expect(forge.cancelRun(runId, 10, true)).toBe('cancelled')
    expect(forge.run(runId)).toMatchObject({ status: 'completed', conclusion: 'cancelled' })
  })
})
