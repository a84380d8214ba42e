import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cause, jobEventOf } from '../../../test/support/holdfast-app.ts'
import { type CliBench, createCliBench } from '../../../test/support/holdfast-cli.ts'
import { classifyDeath } from '../../domain/death/index.ts'

let cli: CliBench
beforeEach(async () => {
  cli = await createCliBench()
})
afterEach(() => cli.close())

/** A runner takes job 1, and the forge says that it runs; gives the name that the forge has for the runner. */
async function startFirst(runner = 'linux-1'): Promise<string> {
  const { bench } = cli
  await bench.post('/v1/dispatch', await bench.enrol(runner), { runner })
  const runnerName = bench.ledger.rows.attempts.get(1)?.forgeRunnerName ?? ''
  await bench.ledger.applyJobEvent(
    { ...jobEventOf(1), status: 'in_progress', runnerName, startedAt: bench.clock.now() },
    cause,
  )
  return runnerName
}

it('a runner has one name in every list, file and page; the file of its job has its name at the forge too', async () => {
  const runner = 'linux-bb9db0dd'
  await cli.bench.queue(1)
  const atForge = await startFirst(runner)
  expect(atForge).toMatch(/^linux-bb9db0dd-[0-9a-f]{8}$/)
  for (const command of [['jobs'], ['runners'], ['explain', 'contract:1']]) {
    const { out } = await cli.run(...command)
    expect([command, out.includes(runner), out.includes(atForge)]).toEqual([command, true, false])
  }
  const { out } = await cli.run('job', 'contract:1')
  expect(out).toContain(`runner  ${runner} (${atForge} at the forge)`)
  expect(out).toContain(`The forge says that it runs on ${runner}.`)
  for (const path of ['/', '/jobs/1']) {
    const page = await (await cli.bench.ask(path)).text()
    const shown = page.replaceAll(/title="[^"]*"/g, '')
    expect([path, shown.includes(runner), shown.includes(atForge)]).toEqual([path, true, false])
  }
  const { out: listed } = await cli.run('jobs', '--json')
  expect(JSON.parse(listed).jobs[0]).toMatchObject({ runner, executor: atForge })
})

describe('holdfast jobs', () => {
  it('lists open jobs in 80 columns', async () => {
    await cli.bench.queue(1)
    await cli.bench.queue(2, {
      repository: 'an-organisation-of-some-length/and-its-repository',
      name: 'integration tests on the newest release, shard 1 of 12',
    })
    await startFirst()
    await cli.bench.clock.advance(61_000)
    const { code, out } = await cli.run('jobs')
    expect(code).toBe(0)
    const lines = out.trimEnd().split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(lines[0]).toMatch(/^JOB {2}REPOSITORY +NAME +STATE +RUNNER +SINCE$/)
    expect(lines[1]).toMatch(/^2 {4}an-organisa\S*… +integration\S? .*… +queued +- +1 min 1 s$/)
    expect(lines[2]).toMatch(/^1 {4}acme\/web +test +running +linux-1-\w+ +1 min 1 s$/)
  })

  it('lists jobs that ended with --all only', async () => {
    await cli.bench.queue(1)
    await cli.bench.ledger.applyJobEvent(
      { ...jobEventOf(1), status: 'completed', conclusion: 'success' },
      cause,
    )
    expect((await cli.run('jobs')).out).toBe('No open jobs. Those that ended: holdfast jobs --all\n')
    expect((await cli.run('jobs', '--all')).out).toMatch(/1 +acme\/web +test +success/)
    expect((await cli.run('jobs', '--state', 'lost')).out).toBe('No such jobs.\n')
  })

  it('shows what is out of reach as such, with the reason and what to do, and filters for it', async () => {
    expect((await cli.run('jobs', '--unreachable')).out).toBe('Every queued job is in reach of a runner.\n')
    await cli.bench.queue(1, { labels: ['self-hosted', 'gpu'] })
    await cli.bench.queue(2)
    await cli.bench.queue(3, { labels: ['self-hosted', 'gpu'] })
    expect((await cli.run('jobs', '--unreachable')).out).toBe(
      `JOB  REPOSITORY  NAME  STATE        RUNNER   SINCE
1    acme/web    test  unreachable  no pool  0 s
3    acme/web    test  unreachable  no pool  0 s

unreachable (2 jobs, the oldest 1): No pool serves its labels (self-hosted,
  gpu).
  to do Give a pool these labels (pools in the settings), or correct runs-on in
        the workflow. A pool that has them may not take the repository
        (repositories, publicRepositories, forks): see holdfast why.
`,
    )
    expect((await cli.run('jobs')).out).toMatch(/2 +acme\/web +test +queued +- /)
    expect((await cli.run('jobs', '--unreachable', '--all')).code).toBe(2)
  })

  it('gives one JSON document with --json, also where there is nothing', async () => {
    expect(JSON.parse((await cli.run('jobs', '--json')).out)).toEqual({
      at: '2026-01-02T03:04:05.000Z',
      jobs: [],
      unreadable: [],
      total: 0,
      isTotalExact: true,
      next: null,
    })
  })

  it('says how many there are beyond the page, and the command that goes on', async () => {
    for (const forgeJobId of [1, 2, 3]) await cli.bench.queue(forgeJobId)
    const { out } = await cli.run('jobs', '--pool', 'linux', '--limit', '2')
    expect(out).toMatch(/^1 .*\n2 /m)
    const [, next = ''] = /2 shown of 3; the next ones: holdfast (.*)$/m.exec(out) ?? []
    expect(next).toBe('jobs --pool linux --limit 2 --cursor 1.2')
    const rest = (await cli.run(...next.split(' '))).out
    expect(rest).toMatch(/^3 /m)
    expect(rest).not.toMatch(/^[12] {2}/m)
    expect(rest).toContain('the last 1 of 3')
    expect((await cli.run('jobs', '--state', 'quarantined')).out).toBe('No such jobs.\n')
  })

  it('lets nothing that a forge sends reach the terminal as a control', async () => {
    await cli.bench.queue(1, { name: 'a\u001b[2Jb\u0007c\nd\u202ee' })
    const { out } = await cli.run('jobs')
    expect(out).toContain('abc de')
    expect(out.replaceAll('\n', '')).not.toMatch(/\p{Cf}|\p{Cc}/u)
  })

  it('colours on a terminal, but not where NO_COLOR is set', async () => {
    await cli.bench.queue(1)
    const env = { HOLDFAST_DATA_DIR: '/data' }
    const url = ['--url', cli.serving.url]
    const colored = await cli.runWith({ isTerminal: true, env }, 'jobs', ...url)
    expect(colored.out).toContain('\u001b[33mqueued\u001b[39m')
    const plain = await cli.runWith({ isTerminal: true, env: { ...env, NO_COLOR: '1' } }, 'jobs', ...url)
    expect(plain.out).not.toContain('\u001b')
  })
})

describe('holdfast job', () => {
  it('shows the whole file of a job whose runner was killed', async () => {
    await cli.bench.queue(1)
    const runnerName = await startFirst()
    const { ledger, clock } = cli.bench
    const death = classifyDeath({
      exitCode: null,
      signal: 'SIGKILL',
      startedAt: clock.now(),
      endedAt: clock.now(),
      tail: 'first line\nlast line\n',
      oomKills: 0,
      memoryPeakBytes: 1,
      memoryLimitBytes: null,
      samples: [],
      stopRequestedBy: null,
      pod: null,
      missing: [],
    })
    await clock.advance(4_000)
    await ledger.sealDeath(1, death, death.class, { source: 'lifecycle' })
    const readAt = clock.now() - 1_200
    const id = await ledger.recordDecision({
      rule: 'running-without-runner',
      jobId: 1,
      attemptId: 1,
      runnerId: 1,
      facts: {
        jobState: 'running',
        hosted: { known: false, why: 'not read yet' },
        forgeRunner: { known: true, value: { kind: 'absent' }, readAt, source: 'forge' },
      },
      actions: [{ kind: 'end-attempt' }],
    })
    await ledger.recordOutcome(id, 'end-attempt: ok')
    const over = { ...jobEventOf(1), runnerName, status: 'completed' as const, conclusion: 'failure' }
    await ledger.applyJobEvent(over, { source: 'recovery', rule: 'running-without-runner' })
    const { out } = await cli.run('job', 'contract:1')
    expect(out.replaceAll(runnerName, 'linux-1-xxxxxxxx')).toBe(
      `Job 1  acme/web · test
  lost (forge: failure), ended 0 s ago
  forge   contract:1, run 1, attempt 1
  labels  self-hosted
  pool    linux, normal priority
  runner  linux-1-xxxxxxxx
  death   its runner was killed (sigkill-unknown, likely): SIGKILL ended it; the
          kernel counted no OOM kill in its group.

Timeline
  03:04:05.000  First seen: the forge says queued; pool linux serves it. (audit)
  03:04:05.000  Runner linux-1-xxxxxxxx is to run it. (dispatch)
  03:04:05.000  The forge made a configuration (its runner 1). (dispatch)
  03:04:05.000  The configuration left for the runner, which has 2 min to
                register. (dispatch)
  03:04:05.000  The forge says that it runs on linux-1-xxxxxxxx. (audit)
  03:04:09.000  It is lost: its runner died while it ran, and the forge says
                failure. (recovery, running-without-runner)

Attempts
  03:04:05.000  1 on linux-1-xxxxxxxx: finished after 4 s, evidence 2

Decisions
  03:04:09.000  running-without-runner: end-attempt: ok
                - The runner of a delivered job ended, and its death is on
                  record; the job must not stay open behind it.
                - jobState: running
                - forgeRunner: absent (forge, 1.2 s old)

Evidence
  03:04:09.000  1 A runner's death record: its runner was killed
                (sigkill-unknown, likely): SIGKILL ended it; the kernel counted
                no OOM kill in its group.
                | first line
                | last line
  03:04:09.000  2 The forge's word: the job is completed (failure) on
                linux-1-xxxxxxxx.
`,
    )
  })

  it('says why a queued job waits', async () => {
    await cli.bench.queue(1, { labels: ['self-hosted', 'gpu'] })
    const { out } = await cli.run('job', '1')
    expect(out).toContain('\n  unreachable, seen 0 s ago\n')
    expect(out).toContain('why     No pool serves its labels (self-hosted, gpu).')
    expect(out).toContain('to do   Give a pool these labels')
  })

  it('gives all of it as one JSON document with --json', async () => {
    await cli.bench.queue(1)
    expect(JSON.parse((await cli.run('job', '1', '--json')).out)).toMatchObject({
      job: { id: 1, state: 'queued' },
      timeline: [{ kind: 'seen', sentence: 'First seen: the forge says queued; pool linux serves it.' }],
    })
  })

  it('exits with 6 for a job that is not known, and with 2 for what is no name of a job', async () => {
    expect(await cli.run('job', '9')).toEqual({
      code: 6,
      out: '',
      err: 'E_JOB_UNKNOWN No job 9 is known here.\n  hint List what is known with: holdfast jobs --all\n',
    })
    expect((await cli.run('job', '../runners')).code).toBe(2)
  })

  it('makes an error the one JSON document with --json', async () => {
    const { code, out, err } = await cli.run('job', '9', '--json')
    expect([code, err]).toEqual([6, ''])
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'E_JOB_UNKNOWN' } })
  })
})

describe('holdfast why', () => {
  it('answers in a sentence, with what it rests on', async () => {
    await cli.bench.queue(1)
    await cli.bench.queue(2)
    expect((await cli.run('why', '2')).out).toBe(
      `Job 2: 1 jobs go before it: 1 of acme/web.
  - pool linux: 0 of at most 4 runners live, 0 idle
  - before it: 1 of acme/web
`,
    )
  })
})

describe('holdfast why of a job out of reach', () => {
  it('says what holds it and what to do', async () => {
    await cli.bench.queue(1)
    const incident = { kind: 'actions-disabled', installation: 'contract', reason: 'off' } as const
    await cli.bench.ledger.raiseIncident({ ...incident, scope: 'repository', key: 'acme/web' }, 60_000)
    const { out } = await cli.run('why', '1')
    expect(out).toContain('Job 1: Actions are disabled in this repository. The forge says: off\n')
    expect(out).toContain("  - to do: Enable them in the repository's settings under Actions, General.\n")
  })
})

describe('holdfast runners', () => {
  it('lists who lives and who ended, and how', async () => {
    await cli.bench.queue(1)
    await startFirst()
    await cli.bench.enrol('linux-2')
    await cli.bench.ledger.sealDeath(2, classifyDeath(null), 'vanished', cause)
    const { out } = await cli.run('runners')
    expect(out).toBe(
      `RUNNER   POOL   STATE  JOB  SINCE  REASON
linux-1  linux  busy   1    0 s
linux-2  linux  ended  -    0 s    vanished
`,
    )
  })

  it('says so where there is none', async () => {
    expect((await cli.run('runners')).out).toBe('There is no runner.\n')
  })
})

describe('holdfast release', () => {
  it('lifts a quarantine with the token from the data folder', async () => {
    const { ledger, queue, enrol } = cli.bench
    await queue(1)
    await enrol('linux-1')
    await ledger.polled(1)
    const handle = '11111111-1111-4111-8111-111111111111'
    await ledger.claim({ id: 1, name: 'linux-1', pool: 'linux' }, handle, 60_000)
    await ledger.mintFailed(handle, {
      reason: 'no',
      concerns: 'job',
      delayMs: 0,
      failuresMax: 1,
      incident: null,
    })
    expect((await cli.run('release', '1')).out).toBe('Job 1 is released: it is handed out in its turn.\n')
    expect(await cli.run('release', '1')).toMatchObject({
      code: 5,
      err: expect.stringContaining('E_RELEASE_REFUSED'),
    })
  })

  it('is refused without the token', async () => {
    await cli.bench.queue(1)
    const { code, err } = await cli.runWith({ readFile: () => undefined }, 'release', '1')
    expect([code, err]).toEqual([5, expect.stringContaining('E_TOKEN_REQUIRED')])
  })
})
