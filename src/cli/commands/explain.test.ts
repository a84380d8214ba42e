import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cause, jobEventOf } from '../../../test/support/holdfast-app.ts'
import { type CliBench, createCliBench } from '../../../test/support/holdfast-cli.ts'
import { anEnding } from '../../../test/support/rows.ts'
import { explanationSchema } from '../../api/index.ts'
import { classifyDeath, type Ending } from '../../domain/death/index.ts'
import { aPodEnd, aRunnerEnd } from '../../domain/death/testing.ts'

let cli: CliBench
beforeEach(async () => {
  cli = await createCliBench()
})
afterEach(() => cli.close())

/** A runner takes forge job 87 (run 31) and dies; gives the name that the forge has for it. */
async function dead(over: Partial<Ending> = {}): Promise<string> {
  const { bench } = cli
  await bench.queue(87, { runId: 31 })
  await bench.post('/v1/dispatch', await bench.enrol('linux-1'), { runner: 'linux-1' })
  const runnerName = bench.ledger.rows.attempts.get(1)?.forgeRunnerName ?? ''
  const startedAt = bench.clock.now()
  const word = { ...jobEventOf(87, { runId: 31 }), runnerName }
  await bench.ledger.applyJobEvent({ ...word, status: 'in_progress', startedAt }, cause)
  await bench.clock.advance(4_000)
  const ending = anEnding({ signal: 'SIGKILL', startedAt, endedAt: startedAt + 3_000, ...over })
  const death = classifyDeath(ending)
  await bench.ledger.sealDeath(1, death, death.class, { source: 'lifecycle' })
  await bench.ledger.applyJobEvent({ ...word, status: 'completed', conclusion: 'failure' }, cause)
  await bench.clock.advance(60_000)
  return runnerName
}

const uid = '0a1b2c3d-1111-4222-8333-444455556666'
const pod = aPodEnd({
  place: { namespace: 'ci', pod: 'linux-1', uid, node: 'node-1' },
  containers: [aRunnerEnd({ exitCode: 137, reason: 'OOMKilled', finishedAt: Date.UTC(2026, 0, 2, 3, 4, 8) })],
})

/** A part of the output, by its title. */
function part(out: string, title: string): string {
  return out.split('\n\n').find((each) => each.startsWith(title)) ?? ''
}

describe('holdfast explain', () => {
  it('explains how the runner of a job ended, in 80 columns', async () => {
    const name = await dead({ tail: 'first line\nlast line\n' })
    const { code, out, err } = await cli.run('explain', '1')
    expect([code, err]).toEqual([0, ''])
    const text = out.replaceAll(name, 'linux-1-xxxxxxxx')
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(part(text, 'Job 1')).toBe(`Job 1, acme/web · test
  The runner ended 1 min 1 s ago, and its death is on record.
  job     contract:87, lost (failure)
  runner  linux-1, pool linux, ended`)
    expect(part(text, 'Verdict')).toContain('  Its runner was killed (sigkill-unknown, likely).\n')
    expect(part(text, 'Timeline (UTC)')).toBe(`Timeline (UTC)
  2026-01-02
  03:04:05.000  forge   The job was queued, by the clock of the forge.
  03:04:05.000  ledger  First seen: the forge says queued; pool linux serves it.
                        (audit)
  03:04:05.000  ledger  A runner is about to be started. (audit)
  03:04:05.000  ledger  The runner asked for work. (dispatch)
  03:04:05.000  ledger  Runner linux-1-xxxxxxxx is to run it. (dispatch)
  03:04:05.000  ledger  The forge made a configuration (its runner 1).
                        (dispatch)
  03:04:05.000  ledger  The configuration left for the runner, which has 2 min
                        to register. (dispatch)
  03:04:05.000  ledger  The forge says that it runs on linux-1-xxxxxxxx. (audit)
  03:04:05.000  ledger  The runner is busy. (audit)
  03:04:05.000  host    The program of the runner began.
  03:04:08.000  host    The runner ended: by SIGKILL.
  03:04:09.000  ledger  The runner ended; its death is on record
                        (sigkill-unknown). (lifecycle)
  03:04:09.000  ledger  It is lost: its runner died while it ran, and the forge
                        says failure. (audit)`)
    expect(part(text, 'Its last lines')).toContain('\n  | first line\n  | last line')
  })

  it('finds the same by every name that there is for it', async () => {
    const name = await dead({ exitCode: 137, signal: null, pod })
    const names = [
      ...[
        '1',
        '87',
        'job/1',
        'contract:87',
        name,
        'linux-1',
        'runner/linux-1',
        'ci/linux-1',
        'pod/linux-1',
        uid,
      ],
      'https://github.com/acme/web/actions/runs/31/job/87',
      'https://git.example/ACME/web/actions/runs/31/jobs/87',
      'https://github.com/acme/web/actions/runs/31',
    ]
    for (const each of names) {
      const { code, out } = await cli.run('explain', each, '--json')
      expect([each, code]).toEqual([each, 0])
      const found = explanationSchema.parse(JSON.parse(out))
      expect(found).toMatchObject({ verdict: { class: 'container-oom' }, job: { id: 1 }, pod: { uid } })
      expect(found.subject.asked).toBe(each)
    }
  })

  it('judges again with what the agent reported after the record was sealed, and shows both verdicts', async () => {
    const containers = [aRunnerEnd({ exitCode: 137, reason: 'Error', startedAt: 1 })]
    await dead({ exitCode: 137, signal: null, oomKills: null, pod: { ...pod, containers } })
    const at = Date.UTC(2026, 0, 2, 3, 4, 7)
    await cli.bench.ledger.putHostSamples({
      podUid: uid,
      node: 'node-1',
      endedAt: at + 1_000,
      lastSampleAgeMs: 500,
      missing: [],
      samples: [],
      oomLines: [{ at, line: 'Memory cgroup out of memory: Killed process 4711 (node)' }],
    })
    const { out } = await cli.run('explain', uid)
    expect(part(out, 'Verdict')).toMatch(/oom/)
    expect(part(out, 'Verdict').replaceAll(/\s+/g, ' ')).toContain(
      'Sealed 1 min ago as: its runner was killed (sigkill-unknown, likely). What is known by now says otherwise.',
    )
    expect(part(out, 'Timeline')).toContain(
      '03:04:07.000  agent   The kernel wrote: Memory cgroup out of memory',
    )
  })

  it('exits with 9 where it is known and no verdict was reached', async () => {
    await cli.bench.queue(1)
    const waiting = await cli.run('explain', '1')
    expect([waiting.code, waiting.out]).toEqual([
      9,
      expect.stringContaining('It is queued: no runner was given it yet.'),
    ])
    await cli.bench.enrol('linux-9')
    expect((await cli.run('explain', 'linux-9')).code).toBe(9)
    await cli.bench.ledger.sealDeath(1, classifyDeath(null), 'vanished', cause)
    expect((await cli.run('explain', 'linux-9')).code).toBe(9)
  })

  it('exits with 6 for an unknown subject, and lists what was looked for', async () => {
    await cli.bench.queue(5, { runId: 31 })
    const { code, out, err } = await cli.run('explain', 'nobody')
    expect([code, out]).toEqual([6, ''])
    expect(err).toContain('E_SUBJECT_UNKNOWN Nothing is known as "nobody". Looked for:\n')
    expect(err).toContain('  - a runner of the name nobody, here or at the forge\n')
    const foreign = await cli.run('explain', 'https://github.com/other/one/actions/runs/31/job/5')
    expect([foreign.code, foreign.err]).toEqual([
      6,
      expect.stringContaining('the job of this number here is one of acme/web'),
    ])
    const otherRun = await cli.run('explain', 'https://github.com/acme/web/actions/runs/99/job/5')
    expect([otherRun.code, otherRun.err]).toEqual([6, expect.stringContaining('is one of run 31')])
    expect((await cli.run('explain', '../../etc')).code).toBe(6)
  })

  it('does not take a pod for one of the same name in another namespace', async () => {
    await dead({ pod })
    expect(await cli.run('explain', 'other/linux-1')).toMatchObject({
      code: 6,
      err: expect.stringContaining('the one that is known was in the namespace ci'),
    })
  })

  it('exits with 2 for an ambiguous subject, and lists its meanings', async () => {
    await cli.bench.queue(2, { name: 'first' })
    await cli.bench.queue(7, { name: 'second' })
    const { code, err } = await cli.run('explain', '2')
    expect(code).toBe(2)
    expect(err).toContain('  - job/2: acme/web · second (contract:7, queued)\n')
    expect(err).toContain('  - job/1: acme/web · first (contract:2, queued)\n')
    expect((await cli.run('explain', 'job/2')).out).toContain('Job 2, acme/web · second')
    const run = await cli.run('explain', 'https://github.com/acme/web/actions/runs/1')
    expect([run.code, run.err]).toEqual([2, expect.stringContaining('job/1')])
  })

  it('exits with 4 where no server answers', async () => {
    const env = { HOLDFAST_URL: 'http://127.0.0.1:9' }
    expect((await cli.runWith({ env }, 'explain', '1')).code).toBe(4)
  })

  it('is not understood without a subject, or with two ways to answer', async () => {
    for (const args of [
      [],
      ['1', '--log', 'x'],
      ['1', '--json', '--markdown'],
      ['--log', 'x', '--namespace', 'ci'],
    ]) {
      expect([args, (await cli.run('explain', ...args)).code]).toEqual([args, 2])
    }
  })

  it('lets nothing that a job wrote reach the terminal or break out of a fence', async () => {
    const esc = '\u001b'
    const tail = `${esc}[2J${esc}]0;x\u0007red\u009b31m\n\`\`\`\n# not a heading\n\u202eevil\nghp_${'a'.repeat(36)}\n`
    await dead({ tail })
    for (const args of [[], ['--markdown'], ['--json']]) {
      const { out } = await cli.run('explain', '1', ...args)
      expect(out.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\u202e|ghp_a/u)
    }
    const { out } = await cli.run('explain', '1', '--markdown')
    expect(out).toMatch(/\n````text\n(?:.|\n)*\n````\n$/)
  })
})
