import { afterEach, describe, expect, it } from 'vitest'
import { cause, jobEventOf } from '../../../test/support/holdfast-app.ts'
import { type CliBench, createCliBench, type Steps } from '../../../test/support/holdfast-cli.ts'
import type { JobEvent } from '../../domain/job-event/index.ts'

let cli: CliBench
afterEach(() => cli.close())

/** The forge says how the job with this number of its own went. */
const ends = (forgeJobId: number, conclusion: string) => async () =>
  cli.bench.ledger.applyJobEvent({ ...(await known(forgeJobId)), status: 'completed', conclusion }, cause)
const runs = (forgeJobId: number) => async () =>
  cli.bench.ledger.applyJobEvent(
    { ...(await known(forgeJobId)), status: 'in_progress', runnerName: 'elsewhere' },
    cause,
  )

/** Under the name that its repository has: under another one it would move there. */
async function known(forgeJobId: number): Promise<JobEvent> {
  const { installation } = jobEventOf(forgeJobId).job
  const job = await cli.bench.ledger.findJob(installation, forgeJobId)
  return jobEventOf(forgeJobId, job === null ? {} : { repository: job.repository })
}

async function start(...steps: Steps): Promise<void> {
  cli = await createCliBench('simulated', steps)
}

describe('holdfast submit', () => {
  it('submits to the simulated forge and names the job', async () => {
    await start()
    const args = [
      '--repository',
      'acme/api',
      '--name',
      'unit',
      '--label',
      'self-hosted',
      'linux',
      '--script',
      'true',
    ]
    expect(await cli.run('submit', ...args)).toEqual({
      code: 0,
      out: 'Submitted: it is job 1. Its story: holdfast job 1\n',
      err: '',
    })
    expect(await cli.bench.ledger.findJob('contract', 1001)).toMatchObject({
      repository: 'acme/api',
      name: 'unit',
      labels: ['self-hosted', 'linux'],
    })
  })

  it('passes on why a simulated forge cannot take a job now', async () => {
    await start()
    const message = 'The disk of the simulated forge is full: nothing was changed. Make room, then try again'
    const full: typeof fetch = async (input, init) =>
      String(input).endsWith('/_sim/jobs') ? Response.json({ message }, { status: 503 }) : fetch(input, init)
    const { code, err } = await cli.runWith({ fetch: full }, 'submit', '--script', 'true')
    expect([code, err]).toEqual([
      4,
      expect.stringContaining(`E_FORGE_UNAVAILABLE The forge did not answer POST`),
    ])
    expect(err).toContain(message)
  })

  it('submits nothing where no pool serves its labels and nobody would track it, and names those there are', async () => {
    await start()
    const { code, err } = await cli.run('submit', '--label', 'gpu', '--script', 'true')
    expect(code).toBe(1)
    expect(err).toContain('E_LABELS_UNSERVED No pool serves a job with the labels gpu:')
    expect(err).toContain('- pool linux has self-hosted, linux')
    expect(await cli.bench.ledger.findJob('contract', 1001)).toBeNull()
  })

  it('submits what is tracked although no pool serves it yet, and says so with exit code 1', async () => {
    await start()
    expect(await cli.run('submit', '--label', 'self-hosted', 'gpu', '--script', 'true')).toEqual({
      code: 1,
      out: 'Submitted: it is job 1. No pool serves the labels self-hosted, gpu: it waits until one does. Why: holdfast why 1\n',
      err: '',
    })
  })

  it('follows it to its end with --wait', async () => {
    await start(runs(1001), ends(1001, 'success'))
    const { code, out } = await cli.run('submit', '--script', 'true', '--wait')
    expect(code).toBe(0)
    expect(out.replaceAll(/^\S+ {2}/gm, '')).toBe(
      `job 1 acme/web test: queued
job 1 acme/web test: running on elsewhere
job 1 acme/web test: success
Its story: holdfast job 1
`,
    )
  })

  it('exits with 7 where the end is not a success', async () => {
    await start(ends(1001, 'failure'))
    const { code, err } = await cli.run('submit', '--script', 'false', '--wait')
    expect(code).toBe(7)
    expect(err).toContain('E_JOB_BAD_END Job 1 ended, and not well: failure.')
  })

  it('exits with 8 where there is no end in time', async () => {
    await start(
      async () => {},
      async () => {},
      async () => {},
      async () => {},
    )
    const { code, err } = await cli.run('submit', '--script', 'sleep 9', '--wait', '--timeout', '1')
    expect([code, err]).toEqual([8, expect.stringContaining('E_WAIT_OVER The job did not end within 1 s.')])
  })

  it('keeps to one JSON document with --json, and reports a failure by the exit code', async () => {
    await start(ends(1001, 'failure'))
    const { code, out, err } = await cli.run('submit', '--script', 'false', '--wait', '--json')
    expect([code, err]).toEqual([7, ''])
    expect(JSON.parse(out)).toMatchObject({ forgeJobId: 1001, job: { outcome: 'failure' } })
  })

  it('refuses a repository without an owner, and a job without a script', async () => {
    await start()
    expect((await cli.run('submit', '--repository', 'web', '--script', 'true')).err).toContain(
      'Expected owner/name',
    )
    expect(await cli.run('submit')).toMatchObject({
      code: 2,
      err: expect.stringContaining("'--script <script>'"),
    })
  })

  it('does not submit to a real forge', async () => {
    cli = await createCliBench('github')
    const { code, err } = await cli.run('submit', '--script', 'true')
    expect([code, err]).toEqual([5, expect.stringContaining('E_FORGE_NOT_SIMULATED')])
  })
})

describe('holdfast demo', () => {
  it('submits a mix, shows each change, and how each job ended', async () => {
    await start(ends(1001, 'success'), ends(1002, 'failure'), ends(1003, 'success'))
    const { code, out } = await cli.run('demo', '--count', '3', '--only', 'short,failing')
    expect(code).toBe(0)
    expect(out.replaceAll(/^[\d:]+ {2}/gm, '').replace(/http:\S+/, 'URL')).toBe(
      `Submitted 3 jobs. Follow them here or at URL
job 1 acme/web lint: queued
job 2 acme/api build: queued
job 3 globex/shop lint: queued
job 1 acme/web lint: success
job 2 acme/api build: failure
job 3 globex/shop lint: success

What became of them
  job 1, lint of acme/web (ends well at once): success
  job 2, build of acme/api (fails by itself): failure; its runner's end is not
    on record yet
  job 3, lint of globex/shop (ends well at once): success

The story of one, with the evidence: holdfast job 1
`,
    )
  })

  it('writes one table again and again on a terminal', async () => {
    await start(ends(1001, 'success'))
    const env = { HOLDFAST_DATA_DIR: '/data', NO_COLOR: '1' }
    const args = ['demo', '--count', '1', '--url', cli.serving.url]
    const { out } = await cli.runWith({ isTerminal: true, env }, ...args)
    expect(out).toContain(
      `JOB  REPOSITORY  WHAT IT DOES       STATE   FOR
1    acme/web    ends well at once  queued  0 s
0 of 1 ended
\u001b[3A\u001b[JJOB  REPOSITORY  WHAT IT DOES       STATE    FOR
1    acme/web    ends well at once  success  0 s
1 of 1 ended
`,
    )
  })

  it('exits with 8 and says what is open where not every job ended in time', async () => {
    await start(
      ends(1001, 'success'),
      async () => {},
      async () => {},
    )
    const { code, out, err } = await cli.run('demo', '--count', '2', '--only', 'short', '--timeout', '1')
    expect(code).toBe(8)
    expect(out).toContain('job 2, lint of acme/api (ends well at once): not ended yet, it is queued')
    expect(err).toContain('E_WAIT_OVER 1 jobs did not end within 1 s.')
  })

  it('gives one JSON document with --json', async () => {
    await start(ends(1001, 'success'))
    const { code, out } = await cli.run('demo', '--count', '1', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      unfinished: 0,
      jobs: [{ kind: 'short', job: { outcome: 'success' }, death: null }],
    })
  })

  it('has every kind in its first eight jobs', async () => {
    await start()
    const { out } = await cli.run('demo', '--json', '--timeout', '1')
    const kinds = (JSON.parse(out) as { jobs: { kind: string }[] }).jobs.map(({ kind }) => kind)
    expect(new Set(kinds)).toEqual(new Set(['short', 'long', 'failing', 'memory', 'hanging', 'killed']))
  })

  it('refuses a kind that is not there', async () => {
    await start()
    const { code, err } = await cli.run('demo', '--only', 'odd')
    expect([code, err]).toEqual([2, expect.stringContaining('--only has "odd"; the kinds are short, long')])
  })
})

describe('holdfast jobs --watch', () => {
  it('writes a line for each change until it is ended', async () => {
    await start(runs(5), async () => {}, ends(5, 'success'))
    await cli.bench.queue(5)
    const { code, out } = await cli.run('jobs', '--watch', '--all')
    expect(code).toBe(0)
    expect(
      out
        .replaceAll(/^\S+ {2}/gm, '')
        .trim()
        .split('\n'),
    ).toEqual([
      'job 1 acme/web test: queued',
      'job 1 acme/web test: running on elsewhere',
      'job 1 acme/web test: success',
    ])
  })

  it('writes one JSON document a line with --json', async () => {
    await start(runs(5))
    await cli.bench.queue(5)
    const { out } = await cli.run('jobs', '--watch', '--json')
    const states = out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { state: string }).state)
    expect(states).toEqual(['queued', 'running'])
  })
})
