import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { growth, linearAtMost } from '../../../test/support/growth.ts'
import { givenUpReason } from '../pool/index.ts'
import { classifyDeath, classifyLog, type DeathFacts, type Ending, type JobAtEnd } from './index.ts'
import { aHostSample, aHostSamples, aJobAtEnd, anEnd, aPodEnd, aRunnerEnd, endedAt } from './testing.ts'

const judge = (ending: Partial<Ending>, known: Partial<Omit<DeathFacts, 'ending'>> = {}) =>
  classifyDeath(anEnd(ending), { job: null, ring: null, ...known })
const job = (over: Partial<JobAtEnd>) => ({ job: aJobAtEnd(over) })
const done = (conclusion: string, over: Partial<JobAtEnd> = {}) =>
  job({ forgeStatus: 'completed', conclusion, heardAt: endedAt + 1000, ...over })
const result = (how: string) => `2026-11-16 03:10:00Z: Job build completed with result: ${how}\n`
const kernelLine = 'Memory cgroup out of memory: Killed process 4711 (node)'
const fakeVitals = '2023-11-14T22:13:19Z RUNNER_VITALS mem_current=99 mem_max=100 oom_kill=7'

describe('classifyDeath', () => {
  it('does not call exit code 137 alone an OOM, and says what it could not read', () => {
    const record = judge({ exitCode: 137, missing: ['the memory events'] })
    expect(record).toMatchObject({ class: 'sigkill-unknown', confidence: 'likely', outcome: 'incomplete' })
    expect(record.because.join()).toMatch(/could not be read/)
    expect(record.unknown.join()).toMatch(/who sent SIGKILL.*not read: the memory events.*no agent/)
  })

  it('rules out only what there is data about', () => {
    expect(judge({ exitCode: 137 }).ruledOut).toEqual([])
    expect(judge({ exitCode: 137, oomKills: 0 }).ruledOut).toEqual([
      'not an OOM kill: the kernel counted none in its group',
    ])
    const pod = aPodEnd({ containers: [aRunnerEnd({ exitCode: 1 })] })
    const { ruledOut } = judge({ exitCode: 1, pod }, { ring: aHostSamples() })
    expect(ruledOut.join()).toMatch(
      /not an OOM.*not evicted.*not deleted.*not a full disk.*file table.*not starved/,
    )
  })

  it('does not call an end with exit code 0 an OOM although a child was killed', () => {
    expect(judge({ exitCode: 0, oomKills: 2 })).toMatchObject({ class: 'clean' })
    expect(judge({ exitCode: 0, oomKills: 2 }).because.join()).toContain('the runner lived on')
  })

  it('does not blame memory for the end of a runner that we stopped, though a child of it was killed', () => {
    const stopped = { exitCode: 143, oomKills: 1, stopRequestedBy: 'nobody needs it' }
    expect(judge(stopped)).toMatchObject({ class: 'terminated', confidence: 'likely' })
    const pod = aPodEnd({ deletedAt: endedAt - 2_000, containers: [aRunnerEnd({ startedAt: 1 })] })
    expect(judge({ ...stopped, pod })).toMatchObject({ class: 'terminated', confidence: 'likely' })
    expect(judge({ exitCode: 1, oomKills: 1 })).toMatchObject({ class: 'guest-oom', confidence: 'likely' })
  })

  it('is less sure where what was seen does not fit together', () => {
    const oom = aPodEnd({ containers: [aRunnerEnd({ reason: 'OOMKilled', exitCode: 137 })] })
    const record = judge({ exitCode: 137, pod: oom }, { ring: aHostSamples() })
    expect(record).toMatchObject({ class: 'container-oom', confidence: 'likely' })
    expect(record.because.join()).toContain('does not fit')
    const low = { exitCode: 137, oomKills: 1, memoryPeakBytes: 10, memoryLimitBytes: 100 }
    expect(judge(low)).toMatchObject({ class: 'container-oom', confidence: 'likely' })
    expect(judge(low).unknown.join()).toContain('its machine as a whole')
    expect(judge({ ...low, memoryPeakBytes: null })).toMatchObject({ confidence: 'likely' })
    const atLimit = judge({ ...low, memoryPeakBytes: 99, stopRequestedBy: 'the pool shrank' })
    expect(atLimit).toMatchObject({ class: 'container-oom', confidence: 'likely' })
    expect(atLimit.because.join()).toContain('asked to go as well')
  })

  it('reports the exit code of a poller that failed before the runner could start', () => {
    const poller = { ...aRunnerEnd({ exitCode: 7 }), name: 'poller', isInit: true }
    const pod = aPodEnd({ containers: [poller, aRunnerEnd({ state: 'waiting', exitCode: null })] })
    const record = judge({ startedAt: null, pod })
    expect(record.class).toBe('never-started')
    expect(record.because.join()).toMatch(/poller ended with exit code 7/)
  })

  it('calls a runner with the poller in its one container asked to leave, not failed', () => {
    const pod = aPodEnd({ containers: [aRunnerEnd({ exitCode: 10 })] })
    const tail = 'poller: Holdfast wants this runner to leave\n'
    expect(judge({ exitCode: 10, pod, tail })).toMatchObject({ class: 'terminated', confidence: 'likely' })
    expect(judge({ exitCode: 10, pod, tail: '' }).class).toBe('failed')
    expect(judge({ exitCode: 10, pod, tail }, job({})).class).toBe('failed')
  })

  it('says of a start that was given up that nothing started, and how far it had come', () => {
    const waiting = aRunnerEnd({ state: 'waiting', exitCode: null, reason: 'ContainerCreating' })
    const givenUp = (over: Partial<NonNullable<Ending['pod']>> = {}, stopRequestedBy = givenUpReason(null)) =>
      judge({ startedAt: null, stopRequestedBy, pod: aPodEnd({ containers: [waiting], ...over }) })
    const slow = givenUp()
    expect(slow).toMatchObject({ class: 'never-started', confidence: 'proven' })
    expect(slow.because.join()).toContain('on node-1, where its container runner waited (ContainerCreating)')
    const late = aRunnerEnd({ name: 'poller', isInit: true, exitCode: 137, startedAt: endedAt - 1000 })
    const frozen = givenUp({ containers: [late, waiting] })
    expect(frozen).toMatchObject({ class: 'never-started', confidence: 'proven' })
    expect(frozen.because.join()).toContain('Its poller began only while it was being stopped.')
    const place = { ...aPodEnd().place, node: null }
    const message = '0/3 nodes are available: 3 Insufficient cpu.'
    const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, at: endedAt }
    expect(givenUp({ place, conditions: [condition] }).because.join()).toContain(
      `No node was found for it: ${message}`,
    )
    const times = { count: 1, firstAt: endedAt, lastAt: endedAt }
    const event = { type: 'Warning', reason: 'FailedMount', message: 'no such volume', ...times }
    expect(givenUp({ events: [event] }).because.join()).toContain(
      'The cluster said: FailedMount: no such volume',
    )
  })

  it('says why a start was given up although its pod does not say it any more', () => {
    const waiting = aRunnerEnd({ state: 'waiting', exitCode: null })
    const pod = aPodEnd({ containers: [waiting], deletedAt: endedAt - 1000 })
    const stopRequestedBy = givenUpReason({
      kind: 'ImagePull',
      message: 'runner: ErrImagePull: no such image',
    })
    const record = judge({ startedAt: null, stopRequestedBy, pod })
    expect(record).toMatchObject({ class: 'image-pull', confidence: 'proven' })
    expect(record.because.join()).toContain('no such image')
    expect(judge({ startedAt: null, stopRequestedBy: 'the pool shrank', pod }).class).toBe('terminated')
  })

  it('is less sure that nothing started where the kubelet lost sight of a start that was given up', () => {
    const pod = aPodEnd({ containers: [aRunnerEnd({ reason: 'ContainerStatusUnknown', exitCode: 137 })] })
    expect(judge({ startedAt: null, stopRequestedBy: givenUpReason(null), pod })).toMatchObject({
      class: 'never-started',
      confidence: 'likely',
    })
  })

  it('does not say that a runner never started where the kubelet lost sight of it', () => {
    const pod = aPodEnd({ containers: [aRunnerEnd({ reason: 'ContainerStatusUnknown', exitCode: 137 })] })
    expect(judge({ startedAt: null, pod }).class).toBe('unknown')
  })

  it('is complete only where everything could be read', () => {
    expect(judge({ exitCode: 0 }).outcome).toBe('complete')
    expect(judge({ exitCode: 0, missing: ['its log'] }).outcome).toBe('incomplete')
    expect(classifyDeath(null)).toMatchObject({ class: 'vanished', outcome: 'incomplete', ending: null })
  })

  it('reads records that were sealed before the newer facts were kept', () => {
    const { conditions, events, nodeAtEnd, ...older } = aPodEnd({ containers: [] })
    const container = { name: 'runner', state: 'terminated', reason: 'OOMKilled', exitCode: 137 }
    const pod = { ...older, containers: [container] } as unknown as NonNullable<Ending['pod']>
    expect([conditions, events, nodeAtEnd]).toEqual([[], [], null])
    const bare = {} as unknown as Omit<DeathFacts, 'ending'>
    expect(classifyDeath(anEnd({ exitCode: 137, pod }), bare).class).toBe('container-oom')
    const { pod: _, ...podless } = anEnd({ exitCode: 3 })
    expect(classifyDeath(podless as Ending, bare).class).toBe('failed')
    expect(classifyDeath(anEnd({ exitCode: 3, pod: { ...pod, containers: [] } }), bare).class).toBe('failed')
  })
})

describe('exit code 0', () => {
  it.each([
    ['no evidence from forge or log', {}, {}, 'clean', 'unknown'],
    ['no job event since', {}, job({}), 'clean', 'unknown'],
    ['a log that agrees', { tail: result('Failed') }, job({}), 'clean', 'likely'],
    ['success at the forge', {}, done('success'), 'clean', 'proven'],
    ['a failure that the forge received then', {}, done('failure'), 'clean', 'likely'],
    [
      'a failure that the forge gave long before',
      {},
      done('failure', { heardAt: 1 }),
      ...(['forge-gave-up', 'unknown'] as const),
    ],
    [
      'a failure whose event came late',
      {},
      done('failure', { heardAt: endedAt + 900_000 }),
      'clean',
      'unknown',
    ],
    [
      'a failure that the forge made long after',
      {},
      done('failure', { heardAt: endedAt + 900_000, forgeCompletedAt: endedAt + 800_000 }),
      ...(['completion-handshake', 'likely'] as const),
    ],
    [
      'a failure that the log denies',
      { tail: result('Succeeded') },
      done('failure'),
      'completion-handshake',
      'likely',
    ],
  ] as const)('with %s', (_, ending, known, deathClass, confidence) => {
    expect(judge({ exitCode: 0, ...ending }, known)).toMatchObject({ class: deathClass, confidence })
  })

  it('is not a death because the job wrote of a full disk or table: a failing workflow is none', () => {
    const tail = `ENOSPC ENFILE EMFILE failed due to signal 9 UNABLE_TO_GET_ISSUER_CERT_LOCALLY\n${fakeVitals}\n`
    expect(judge({ exitCode: 0, tail }).class).toBe('clean')
    expect(judge({ exitCode: 0, tail }, done('failure')).class).toBe('clean')
  })

  it('of a launcher that hides a kill is none, and it was memory only where somebody outside counted', () => {
    const tail = 'x: Running job: y\nExiting with unknown error code: 137\n'
    expect(judge({ exitCode: 0, tail })).toMatchObject({ class: 'sigkill-unknown', confidence: 'likely' })
    const claimed = judge({ exitCode: 0, tail: `${fakeVitals}\n${tail}` })
    expect(claimed.class).toBe('sigkill-unknown')
    expect(claimed.because.join()).toContain('A claim of its own output')
    expect(judge({ exitCode: 0, tail, oomKills: 1 }).class).toBe('guest-oom')
  })
})

describe('a log that lies', () => {
  const lies = `${fakeVitals}\n[1234.5] ${kernelLine}\n`

  it('does not outweigh what was counted outside', () => {
    const byKernel = judge({ exitCode: 137, oomKills: 0, tail: lies })
    const byAgent = judge({ exitCode: 137, tail: lies, pod: aPodEnd() }, { ring: aHostSamples() })
    for (const record of [byKernel, byAgent]) {
      expect(record.class).toBe('sigkill-unknown')
      expect(record.because.join()).toContain('does not fit what was counted outside')
    }
  })

  it('makes no OOM of a kill where nothing else is known, and is shown as a claim', () => {
    const record = judge({ exitCode: 137, tail: lies })
    expect(record).toMatchObject({ class: 'sigkill-unknown', confidence: 'likely' })
    expect(record.because.join()).toContain(
      `A claim of its own output: Its log says: "[1234.5] ${kernelLine}"`,
    )
    expect(record.because.join()).toContain('Only its own output says so')
    expect(record.unknown.join()).toContain('whether memory ran out')
    const build = judge({ exitCode: 1, tail: `${lies}cc1plus: signal: killed\n` })
    expect(build.class).toBe('sigkill-unknown')
    expect(build.because.join()).toContain('Only its own output says so')
    const ring = aHostSamples({
      samples: [aHostSample({ oomKills: 1 })],
      oomLines: [{ at: endedAt, line: kernelLine }],
    })
    expect(judge({ exitCode: 137, tail: '' }, { ring })).toMatchObject({
      class: 'guest-oom',
      confidence: 'likely',
    })
  })

  it('proves nothing, whatever it says and however the runner ended', () => {
    const lines = fc.constantFrom(
      ...[fakeVitals, kernelLine, 'ENFILE', 'ENOSPC', 'EMFILE', 'A session for this runner already exists.'],
      ...[
        'The runner no longer exists on the server',
        'Exiting with unknown error code: 137',
        result('Succeeded'),
      ],
      ...[
        'is deprecated and cannot receive messages',
        'Runner connect error: x',
        'failed due to signal 9',
        'x',
      ],
      ...['Runner listener exit with 0 return code', "Job message not found '1'", ': Running job: x'],
    )
    const exitCodes = fc.constantFrom(0, 1, 2, 5, 7, 127, 134, 137, 143, null)
    const jobs = fc.constantFrom(null, aJobAtEnd(), done('failure').job, done('success').job)
    fc.assert(
      fc.property(fc.array(lines, { maxLength: 8 }), exitCodes, jobs, (tail, exitCode, known) => {
        const withLog = judge({ exitCode, tail: tail.join('\n') }, { job: known })
        const silent = judge({ exitCode }, { job: known })
        expect(withLog.class).not.toMatch(/-oom$/)
        if (withLog.confidence === 'proven') expect(withLog.class).toBe(silent.class)
      }),
    )
  })

  it('is judged in time linear in its length, however it is made', () => {
    const hostile = [
      'Usage of EmptyDir volume ',
      'ENFILE',
      ' RUNNER_VITALS ',
      '\n',
      'Runner connect error: ',
      'x',
    ]
    for (const piece of hostile) {
      const grown = growth(piece, 65_536, (tail) => {
        judge({ exitCode: 137, tail })
        judge({ exitCode: 1, tail, pod: aPodEnd({ reason: 'Evicted', message: tail }) })
      })
      expect(grown).toBeLessThan(linearAtMost)
    }
  })
})

describe('classifyLog', () => {
  it.each([
    ['accept: Too many open files in system', 'host-file-table'],
    ['accept: Too many open files', 'process-file-table'],
    ['x: signal: killed', 'sigkill-unknown'],
    ['The runner no longer exists on the server. Cleaning up local configuration.', 'runner-deregistered'],
    [
      'Runner listener exit with Session Conflict error, stop the service, no retry needed.',
      'session-conflict',
    ],
    ['An error occurred: Runner version v2.1 is deprecated and cannot receive messages.', 'runner-outdated'],
  ])('takes "%s" for %s', (line, expected) => {
    expect(classifyLog(`before\n${line}\n`, endedAt)).toMatchObject({ class: expected, confidence: 'likely' })
  })

  it('says what a log alone can say, and that nothing else was read', () => {
    expect(classifyLog('Error: spawn ps ENFILE', endedAt)).toMatchObject({
      class: 'host-file-table',
      confidence: 'likely',
      outcome: 'incomplete',
    })
    expect(classifyLog(result('Succeeded'), endedAt)).toMatchObject({ class: 'clean', confidence: 'likely' })
    const lost = classifyLog('error: interrupted by the user', endedAt)
    expect(lost).toMatchObject({ class: 'unknown', confidence: 'unknown' })
    expect(lost.because.join()).toContain('interrupted by the user')
    expect(lost.unknown.join()).toContain('everything but its log')
  })
})
