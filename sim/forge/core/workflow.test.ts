import { describe, expect, it } from 'vitest'
import { drainJobMessages, job, labels, newForge, runNext, statuses, submit } from '../testing/workflows.ts'

describe('jobs that need others', () => {
  const chain = [job('build'), job('test', { needs: ['build'] }), job('deploy', { needs: ['test'] })]

  it('come into being when those have succeeded, each with its own messages', () => {
    const forge = newForge()
    const { runId, jobIds } = submit(forge, chain)
    expect(jobIds).toHaveLength(1)
    for (const name of ['build', 'test', 'deploy']) expect(runNext(forge, 'success')).toBe(name)
    expect(drainJobMessages(forge)).toEqual([
      ...['build queued', 'build in_progress', 'build success'],
      ...['test queued', 'test in_progress', 'test success'],
      ...['deploy queued', 'deploy in_progress', 'deploy success'],
    ])
    expect(forge.run(runId)).toMatchObject({ status: 'completed', conclusion: 'success' })
  })

  it('are skipped when one has failed, which is announced by their end alone, without labels', () => {
    const forge = newForge()
    const { runId } = submit(forge, chain)
    runNext(forge, 'failure')
    expect(drainJobMessages(forge)).toEqual([
      ...['build queued', 'build in_progress', 'build failure'],
      ...['test skipped', 'deploy skipped'],
    ])
    expect(forge.jobsOf(runId).map((each) => each.labels)).toEqual([labels, [], []])
    expect(forge.run(runId)).toMatchObject({ status: 'completed', conclusion: 'failure' })
  })

  it('run all the same where they run always or after a failure, and not after a success', () => {
    const forge = newForge()
    const cleaning = job('clean', { needs: ['build'], when: 'always' })
    const alarm = job('alarm', { needs: ['build'], when: 'failure' })
    submit(forge, [job('build'), cleaning, alarm])
    runNext(forge, 'failure')
    expect(drainJobMessages(forge).slice(3)).toEqual(['clean queued', 'alarm queued'])
    const fine = newForge()
    submit(fine, [job('build'), cleaning, alarm])
    runNext(fine, 'success')
    expect(drainJobMessages(fine).slice(3)).toEqual(['clean queued', 'alarm skipped'])
  })

  it('keep the run open while a job is under way that others wait for', () => {
    const forge = newForge()
    const { runId } = submit(forge, chain)
    runNext(forge, 'success')
    expect(forge.run(runId)).toMatchObject({ status: 'in_progress', conclusion: null })
  })
})

describe('a matrix', () => {
  const matrix = { os: ['linux', 'mac'], node: ['24', '26'] }

  it('is one job for each combination, with its values in name, labels and script', () => {
    const forge = newForge()
    const order = { labels: [`\${{ matrix.os }}`], script: `node \${{matrix.node}}`, matrix }
    const { runId } = submit(forge, [job('test', order), job('done', { needs: ['test'] })])
    expect(forge.jobsOf(runId).map((each) => [each.name, each.labels, each.script])).toEqual([
      ['test (linux, 24)', ['linux'], 'node 24'],
      ['test (linux, 26)', ['linux'], 'node 26'],
      ['test (mac, 24)', ['mac'], 'node 24'],
      ['test (mac, 26)', ['mac'], 'node 26'],
    ])
  })

  it('is cancelled as a whole when one of its jobs fails, unless fail-fast is off', () => {
    const three = { matrix: { n: ['1', '2', '3'] } }
    const forge = newForge()
    submit(forge, [job('test', three)])
    runNext(forge, 'failure')
    expect(drainJobMessages(forge).slice(3)).toEqual([
      'test (1) in_progress',
      'test (1) failure',
      ...cancelled,
    ])
    const patient = newForge()
    submit(patient, [job('test', { ...three, failFast: false })])
    runNext(patient, 'failure')
    expect(drainJobMessages(patient).slice(3)).toEqual(['test (1) in_progress', 'test (1) failure'])
  })
  const cancelled = ['test (2) cancelled', 'test (3) cancelled']
})

describe('a group of which one run is under way at a time', () => {
  const concurrency = (cancelInProgress: boolean) => ({ group: 'deploy', cancelInProgress })

  it('lets the newest wait and cancels those that waited before it', () => {
    const forge = newForge()
    const runs = [1, 2, 3].map(() => submit(forge, [job('deploy')], { concurrency: concurrency(false) }))
    expect(statuses(forge, runs)).toEqual(['queued', 'completed', 'pending'])
    expect(forge.run(runs[1]?.runId ?? 0)).toMatchObject({ conclusion: 'cancelled' })
    expect(runs.map(({ jobIds }) => jobIds.length)).toEqual([1, 0, 0])
    runNext(forge, 'success')
    expect(statuses(forge, runs)).toEqual(['completed', 'completed', 'queued'])
    expect(drainJobMessages(forge)).toEqual([
      'deploy queued',
      'deploy in_progress',
      'deploy success',
      'deploy queued',
    ])
  })

  it('gives way to a newer run at once where that is asked for', () => {
    const forge = newForge()
    const runs = [1, 2].map(() => submit(forge, [job('deploy')], { concurrency: concurrency(true) }))
    expect(statuses(forge, runs)).toEqual(['completed', 'queued'])
    expect(drainJobMessages(forge)).toEqual(['deploy queued', 'deploy cancelled', 'deploy queued'])
  })

  it('is a matter of one repository', () => {
    const forge = newForge()
    const other = { repository: 'acme/site', concurrency: concurrency(false) }
    const runs = [
      submit(forge, [job('a')], { concurrency: concurrency(false) }),
      submit(forge, [job('a')], other),
    ]
    expect(statuses(forge, runs)).toEqual(['queued', 'queued'])
  })
})

describe('a run that is run again', () => {
  const jobs = [job('build'), job('test'), job('deploy', { needs: ['test'] })]

  it('has a new attempt with new jobs, and keeps the old ones', () => {
    const forge = newForge()
    const { runId } = submit(forge, [job('build')])
    expect(forge.rerun(runId, 'all', 50)).toBe('running')
    runNext(forge, 'failure')
    expect(forge.rerun(runId, 'all', 60)).toBe('started')
    expect(forge.run(runId)).toMatchObject({ attempt: 2, status: 'queued', conclusion: null })
    runNext(forge, 'success')
    expect(forge.run(runId)).toMatchObject({ attempt: 2, status: 'completed', conclusion: 'success' })
    expect(forge.run(runId, 1)).toMatchObject({ attempt: 1, status: 'completed', conclusion: 'failure' })
    const [first, second] = forge.jobsOf(runId)
    expect([first?.runAttempt, second?.runAttempt]).toEqual([1, 2])
    expect(second?.id).not.toBe(first?.id)
    expect(forge.rerun(1, 'all', 70)).toBe('absent')
  })

  it('repeats the failed jobs and the jobs that need them, and no other', () => {
    const forge = newForge()
    const { runId } = submit(forge, jobs)
    runNext(forge, 'success')
    runNext(forge, 'failure')
    drainJobMessages(forge)
    forge.rerun(runId, 'failed', 60)
    while (runNext(forge, 'success') !== null);
    expect(drainJobMessages(forge).filter((each) => each.endsWith('queued'))).toEqual([
      'test queued',
      'deploy queued',
    ])
    expect(forge.jobsOf(runId, 2).map(({ name }) => name)).toEqual(['build', 'test', 'deploy'])
    expect(forge.run(runId)).toMatchObject({ conclusion: 'success', begunAgainAt: [60] })
  })

  it('repeats one job with the jobs that need it', () => {
    const forge = newForge()
    const { runId, jobIds } = submit(forge, jobs)
    while (runNext(forge, 'success') !== null);
    forge.rerun(runId, { jobId: jobIds[1] as number }, 60)
    while (runNext(forge, 'success') !== null);
    expect(forge.jobsOf(runId, 2).map(({ name }) => name)).toEqual(['build', 'test', 'deploy'])
  })
})

it('a run that is cancelled ends all its jobs, and skips the jobs that needed them', () => {
  const forge = newForge()
  const { runId } = submit(forge, [job('build'), job('test', { needs: ['build'] })])
  expect(forge.cancelRun(runId, 10)).toBe('cancelled')
  expect(drainJobMessages(forge)).toEqual(['build queued', 'build cancelled', 'test skipped'])
  expect(forge.run(runId)).toMatchObject({ status: 'completed', conclusion: 'cancelled' })
  expect(forge.cancelRun(runId, 11)).toBe('over')
  expect(forge.cancelRun(1, 11)).toBe('absent')
})

it('a runner of an organisation takes jobs of all its repositories, and of no other', () => {
  const forge = newForge()
  submit(forge, [job('foreign')], { repository: 'other/site' })
  submit(forge, [job('ours')], { repository: 'acme/site' })
  const minted = forge.mint({ repository: 'acme/*', name: 'r-org', labels }, 1)
  const connected = minted.kind === 'minted' ? forge.connect(minted.jit, 'program', 2) : null
  const session = connected?.kind === 'connected' ? connected.session : ''
  expect(forge.poll(session, 3)).toMatchObject({ kind: 'job', job: { name: 'ours' } })
  expect(forge.mint({ repository: 'nobody/*', name: 'r', labels }, 4)).toEqual({ kind: 'no-repository' })
})
