import { describe, expect, it } from 'vitest'
import {
  type EventFact,
  type ForgeJobFact,
  keyOf,
  type NodeUsageFact,
  type PodFact,
  type RunnerFact,
  type StepFact,
} from '../../snapshot/index.ts'
import {
  forgeJobFact,
  forgeRunnerFact,
  listed,
  listenerFact,
  minuteMs,
  nodeFact,
  podFact,
  readAt,
  runnerFact,
  runningState,
  type SnapshotGiven,
  scaleSetFact,
  snapshotOf,
  terminatedState,
  unread,
  waitingState,
} from '../../snapshot/testing/facts.ts'
import { type TriageSubject, triage } from '../index.ts'

const at = (minutes: number): number => readAt - minutes * minuteMs
const asked: TriageSubject = { kind: 'runner', namespace: null, name: 'linux-1' }

function timeline(given: SnapshotGiven, subject = asked) {
  const [first] = triage(subject, snapshotOf(given), null)
  if (first === undefined) throw new Error('no fact names it')
  return first.timeline
}

const lines = (given: SnapshotGiven) =>
  timeline(given).rows.map(({ at: time, source, text }) => `${(readAt - time) / minuteMs} ${source} ${text}`)
const texts = (given: SnapshotGiven) => timeline(given).rows.map(({ text }) => text)
const undated = (given: SnapshotGiven) => timeline(given).undated.map(({ text }) => text)
const marks = (given: SnapshotGiven) =>
  timeline(given).rows.flatMap(({ text, mark }) => (mark === null ? [] : [`${text} ${mark}`]))

function pod(given: Partial<PodFact> = {}, state = terminatedState(137, 'Error', { finishedAt: at(4) })) {
  const fact = podFact('linux-1', { createdAt: at(32), startedAt: at(32), ...given })
  const started = state.startedAt === null ? state : { ...state, startedAt: at(31) }
  return { ...fact, statuses: fact.statuses.map((status) => ({ ...status, state: started })) }
}

function job(given: Partial<ForgeJobFact> = {}): ForgeJobFact {
  return forgeJobFact(87, {
    status: 'completed',
    conclusion: 'failure',
    runnerName: 'linux-1',
    queuedAt: at(34),
    startedAt: at(30),
    completedAt: at(1),
    ...given,
  })
}

const step = (given: Partial<StepFact>): StepFact => ({
  number: 2,
  name: 'Run tests',
  status: 'completed',
  conclusion: 'success',
  startedAt: at(29),
  completedAt: at(20),
  ...given,
})

function event(given: Partial<EventFact> = {}): EventFact {
  return {
    namespace: 'arc-runners',
    type: 'Warning',
    reason: 'Evicted',
    message: 'low on disk',
    subject: { kind: 'Pod', name: 'linux-1', uid: null },
    count: 1,
    firstAt: at(5),
    lastAt: at(5),
    ...given,
  }
}

const whole: SnapshotGiven = {
  cluster: {
    scaleSets: listed([scaleSetFact('linux')]),
    listeners: listed([listenerFact('linux', { createdAt: at(90) })]),
    runners: listed([runnerFact('linux-1', { createdAt: at(33) })]),
    pods: listed([pod()]),
    events: listed([event()]),
    nodes: listed([
      nodeFact('node-1', {
        conditions: [{ type: 'DiskPressure', status: 'True', reason: 'Full', message: null, at: at(6) }],
      }),
    ]),
  },
  forge: {
    jobs: listed([job({ steps: [step({ completedAt: null, conclusion: null, status: 'in_progress' })] })]),
  },
}

describe('the merged timeline of a case', () => {
  it('has what forge, cluster, kubelet and node say, by time', () => {
    expect(lines(whole)).toEqual([
      '90 cluster AutoscalingListener linux-listener was made.',
      '34 forge The job was queued, by the clock of the forge.',
      '33 cluster EphemeralRunner linux-1 was made.',
      '32 cluster The pod was made.',
      '32 kubelet The kubelet took the pod.',
      '31 kubelet Container runner began.',
      '30 forge The job began on linux-1, by the clock of the forge.',
      '29 forge Step 2 (Run tests) began.',
      '6 cluster Node node-1: DiskPressure is True (Full).',
      '5 cluster Warning Evicted: low on disk',
      '4 kubelet Container runner ended: exit code 137 (Error).',
      '1 forge The job was over (failure), by the clock of the forge.',
    ])
    expect(timeline(whole)).toMatchObject({ leftOut: 0, gaps: [], endAt: at(4) })
  })

  it('has nothing of other runners, pods and nodes', () => {
    const { cluster, forge } = whole
    const more: SnapshotGiven = {
      cluster: {
        ...cluster,
        listeners: listed([...(cluster?.listeners?.items ?? []), listenerFact('gpu')]),
        runners: listed([runnerFact('linux-2'), ...(cluster?.runners?.items ?? [])]),
        pods: listed([...(cluster?.pods?.items ?? []), podFact('linux-2')]),
        events: listed([
          event(),
          event({ subject: { kind: 'Pod', name: 'linux-2', uid: null } }),
          event({ namespace: 'elsewhere' }),
          event({ subject: { kind: 'Node', name: 'node-2', uid: null } }),
          event({ subject: { kind: 'ConfigMap', name: 'linux-1', uid: null } }),
        ]),
        nodes: listed([...(cluster?.nodes?.items ?? []), nodeFact('node-2')]),
      },
      forge: { jobs: listed([forgeJobFact(88, { runnerName: 'linux-2' }), ...(forge?.jobs?.items ?? [])]) },
    }
    expect(lines(more)).toEqual(lines(whole))
  })

  it('puts an effect below its cause where both have the same second, in whatever order they are listed', () => {
    const runner = runnerFact('linux-1', { createdAt: at(9) })
    const given = (events: readonly EventFact[]): SnapshotGiven => ({
      cluster: {
        runners: listed([runner]),
        pods: listed([
          pod({ createdAt: at(9), startedAt: at(9) }, terminatedState(1, 'Error', { finishedAt: at(4) })),
        ]),
        events: listed(events),
      },
      forge: { jobs: listed([job({ queuedAt: at(9), startedAt: at(4), completedAt: at(4) })]) },
    })
    const events = [event({ lastAt: at(4) }), event({ reason: 'Killing', type: 'Normal', lastAt: at(4) })]
    expect(lines(given(events)).slice(-5)).toEqual([
      '4 cluster Warning Evicted: low on disk',
      '4 cluster Killing: low on disk',
      '4 kubelet Container runner ended: exit code 1 (Error).',
      '4 forge The job began on linux-1, by the clock of the forge.',
      '4 forge The job was over (failure), by the clock of the forge.',
    ])
    expect(lines(given(events.toReversed()))).toEqual(lines(given(events)))
  })

  it('says of a time how exact it is', () => {
    const probe = { node: 'node-1', at: at(1) + 7, fileTable: null, openFilesMax: null, workers: ['linux-1'] }
    const { rows } = timeline({ cluster: { pods: listed([pod()]), nodeProbes: listed([probe]) } })
    const precise = rows.map(({ source, precision }) => `${source} ${precision}`)
    expect(new Set(precise)).toEqual(new Set(['cluster second', 'kubelet second', 'agent millisecond']))
    expect(rows.at(-1)?.text).toBe('Node node-1 runs a Runner.Worker of linux-1.')
  })

  it('keeps the newest 200 rows and counts the others', () => {
    const steps = Array.from({ length: 150 }, (_, number) => step({ number }))
    const { rows, leftOut } = timeline({ forge: { jobs: listed([job({ steps })]) } })
    expect(rows).toHaveLength(200)
    expect(leftOut).toBe(103)
    expect(rows.at(-1)?.text).toContain('The job was over')
  })
})

describe('a fact without a time', () => {
  const stuck = pod({ phase: 'Pending' }, waitingState('ImagePullBackOff', '401'))
  it('stands below the list, and gets no time', () => {
    const given: SnapshotGiven = {
      cluster: {
        runners: listed([
          runnerFact('linux-1', {
            phase: 'Failed',
            reason: 'TooManyPodFailures',
            job: {
              requestId: null,
              id: null,
              name: 'test',
              repository: 'acme/web',
              workflowRef: null,
              runId: 31,
            },
            failures: [{ podUid: 'u1', at: null }],
          } satisfies Partial<RunnerFact>),
        ]),
        pods: listed([stuck]),
        events: listed([event({ firstAt: null, lastAt: null })]),
        nodes: listed([nodeFact('node-1', { isCordoned: true })]),
      },
      forge: {
        jobs: listed([
          job({
            completedAt: null,
            steps: [step({ startedAt: null, completedAt: null, conclusion: 'failure' })],
            annotations: [{ level: 'failure', title: null, message: 'lost communication' }],
          }),
        ]),
        runners: listed([forgeRunnerFact('linux-1', { isOnline: false })]),
      },
    }
    expect(undated(given)).toEqual([
      'The job is completed (failure).',
      'Step 2 (Run tests) was over (failure).',
      'The forge notes (failure): lost communication',
      'The forge calls the runner offline and not busy.',
      'EphemeralRunner linux-1 is Failed: TooManyPodFailures',
      'EphemeralRunner linux-1 names the job acme/web · test, run 31.',
      'EphemeralRunner linux-1: its pod u1 failed.',
      'The pod is Pending.',
      'Container runner is waiting (ImagePullBackOff: 401).',
      'Warning Evicted: low on disk',
      'Node node-1 is closed to new pods.',
    ])
    expect(texts(given).filter((text) => undated(given).includes(text))).toEqual([])
  })

  it('is not named where it has one, nor where it has not happened', () => {
    const given: SnapshotGiven = {
      cluster: { pods: listed([pod({}, runningState)]), events: listed([event()]) },
      forge: {
        jobs: listed([
          job({
            status: 'in_progress',
            conclusion: null,
            completedAt: null,
            steps: [
              step({ number: 1 }),
              step({ status: 'queued', conclusion: null, startedAt: null, completedAt: null }),
            ],
          }),
        ]),
      },
    }
    expect(undated(given)).toEqual(['The pod is Running.'])
  })

  it('is cut after 40, and the others are counted', () => {
    const annotations = Array.from({ length: 50 }, () => ({ level: 'notice', title: null, message: 'x' }))
    const { undated: shown, undatedLeftOut } = timeline({ forge: { jobs: listed([job({ annotations })]) } })
    expect([shown.length, undatedLeftOut]).toEqual([40, 10])
  })
})

describe('times that contradict each other', () => {
  const given = (startedAt: number): SnapshotGiven => ({
    cluster: { pods: listed([pod({ createdAt: at(30) })]) },
    forge: { jobs: listed([job({ startedAt })]) },
  })

  it('are marked where the forge began a job before its pod was made, and stay where they are', () => {
    expect(marks(given(at(30) - 20_000))).toEqual([
      'The kubelet took the pod. 2 min before its pod was made',
      'Container runner began. 1 min before its pod was made',
      'The job began on linux-1, by the clock of the forge. 20 s before its pod was made',
    ])
    expect(texts(given(at(30) - 20_000)).slice(3, 5)).toEqual([
      'The job began on linux-1, by the clock of the forge.',
      'The pod was made.',
    ])
  })

  it('are not marked where less than a second lies between them: whole seconds are cut', () => {
    const early = {
      cluster: { pods: listed([pod({ createdAt: at(32) + 900 })]) },
      forge: given(at(30)).forge ?? {},
    }
    expect(marks(early)).toEqual([])
  })

  it('are marked where they are later than their facts were read', () => {
    const late = (minutes: number): SnapshotGiven => ({
      cluster: { pods: listed([pod()]), events: listed([event({ lastAt: at(minutes) })]) },
    })
    expect(marks(late(-3))).toEqual(['Warning Evicted: low on disk 3 min after the facts were read'])
    expect(marks(late(0))).toEqual([])
  })

  it('are not marked where a deletion has a grace that has not ended', () => {
    const leaving: SnapshotGiven = { cluster: { pods: listed([pod({ deletedAt: at(-10) })]) } }
    expect(texts(leaving).at(-1)).toContain('Somebody asked that the pod goes, at this time or')
    expect(marks(leaving)).toEqual([])
  })

  it('are explained where an event is of an earlier pod of the same name', () => {
    const of = (uid: string): SnapshotGiven => ({
      cluster: {
        pods: listed([pod()]),
        events: listed([event({ subject: { kind: 'Pod', name: 'linux-1', uid } })]),
      },
    })
    expect(marks(of('other'))).toEqual(['Warning Evicted: low on disk of another pod of this name'])
    expect(marks(of(pod().uid))).toEqual([])
  })
})

describe('an event', () => {
  it('that came again and again has rows for its first and its last time', () => {
    const given: SnapshotGiven = {
      cluster: { pods: listed([pod()]), events: listed([event({ count: 4, firstAt: at(7) })]) },
    }
    expect(lines(given)).toContain('7 cluster Warning Evicted: the first of 4 such events.')
    expect(lines(given)).toContain('5 cluster Warning Evicted: low on disk (4 times in 2 min)')
  })

  it('of a pod that is gone is found by the namespace of the set of its job, and not without one', () => {
    const gone = { events: listed([event()]), scaleSets: listed([scaleSetFact('linux')]) }
    const forge = { jobs: listed([job()]) }
    const subject: TriageSubject = { kind: 'job', repository: 'acme/web', jobId: 87 }
    const found = timeline({ cluster: gone, forge }, subject)
    expect(found.rows.map(({ text }) => text)).toContain('Warning Evicted: low on disk')
    expect(found.gaps).toEqual(['its pod: linux-1 is not among the pods that were read, and may be gone'])
    const lost = timeline({ cluster: { ...gone, scaleSets: listed() }, forge }, subject)
    expect(lost.rows.map(({ text }) => text)).not.toContain('Warning Evicted: low on disk')
    expect(lost.gaps).toContain('events of its pod: nothing says in which namespace it was')
  })
})

describe('the node', () => {
  const fs = {
    availableBytes: 2 ** 34,
    capacityBytes: 2 ** 37,
    usedBytes: null,
    inodesFree: null,
    inodes: null,
  }
  const usage: NodeUsageFact = {
    node: 'node-1',
    at: at(0),
    nodefs: fs,
    imagefs: { ...fs, availableBytes: null },
    memoryAvailableBytes: 2 ** 30,
    processesMax: null,
    processes: null,
    pods: [{ pod: pod(), ephemeralBytes: 2 ** 31, memoryWorkingSetBytes: null }],
  }
  const of = (given: SnapshotGiven['cluster']): SnapshotGiven => ({
    cluster: { pods: listed([pod()]), ...given },
  })

  it('has what its kubelet measured, at the time of that', () => {
    expect(keyOf(usage.pods[0]?.pod ?? pod())).toBe(keyOf(pod()))
    expect(lines(of({ nodeUsage: listed([usage]) })).slice(-2)).toEqual([
      '0 kubelet Node node-1 has left: 16 GiB of 128 GiB for pods, 1 GiB of memory.',
      '0 kubelet The pod uses 2 GiB of disk.',
    ])
    expect(lines(of({ nodeUsage: listed([{ ...usage, node: 'node-2' }]) }))).toEqual(lines(of({})))
  })

  it('that became ready again while the pod lived was not ready before; one that was ready all along says nothing', () => {
    const ready = (minutes: number) =>
      texts(
        of({
          nodes: listed([
            nodeFact('node-1', {
              conditions: [
                { type: 'Ready', status: 'True', reason: 'KubeletReady', message: null, at: at(minutes) },
              ],
            }),
          ]),
        }),
      )
    expect(ready(10)).toContain('Node node-1: Ready is True (KubeletReady).')
    expect(ready(600)).not.toContain('Node node-1: Ready is True (KubeletReady).')
  })
})

describe('a source that could not be read', () => {
  it('is named in one line, and proves no absence', () => {
    const given: SnapshotGiven = {
      cluster: {
        pods: listed([pod()]),
        events: {
          ...unread<EventFact>('events in arc-runners'),
          unread: ['a', 'b', 'c'].map((what) => ({ what, why: 'forbidden', needs: null })),
        },
        nodes: unread('nodes'),
      },
      forge: { jobs: unread('jobs of acme/web') },
    }
    expect(timeline(given).gaps).toEqual([
      'not read: jobs of acme/web: forbidden',
      'not read: a: forbidden; and 2 more',
      'not read: nodes: forbidden',
      'its job: the forge names none, or was not asked',
      'its node: node-1 is not among the nodes that were read',
    ])
  })

  it('is not named where all was read; that no event is left is said', () => {
    const given: SnapshotGiven = {
      cluster: { pods: listed([pod()]), nodes: listed([nodeFact()]) },
      forge: { jobs: listed([job()]) },
    }
    expect(timeline(given).gaps).toEqual([
      'events of its pod: none is left; clusters keep them for about an hour',
    ])
  })
})

describe('words of others', () => {
  // Joined at run time, so that no scanner takes it for a real one.
  const token = `ghp_${'a1B2c3D4e5F6g7H8'.repeat(2)}a1B2`
  const hostile = `\u001b]0;x\u0007a\u001b[2J\r\nb\u0000\u202e ${token} ${'x'.repeat(100_000)}`

  it('are one printable line without secrets, wherever they stand', () => {
    const given: SnapshotGiven = {
      cluster: {
        scaleSets: listed([scaleSetFact('linux')]),
        runners: listed([runnerFact('linux-1', { message: hostile })]),
        pods: listed([pod({ message: hostile }, waitingState('x', hostile))]),
        events: listed([
          event({ message: hostile }),
          event({ message: hostile, firstAt: null, lastAt: null }),
        ]),
        nodes: unread(hostile),
      },
      forge: {
        jobs: listed([
          job({
            steps: [step({ name: hostile })],
            annotations: [{ level: hostile, title: hostile, message: hostile }],
          }),
        ]),
      },
    }
    const { rows, undated: known, gaps } = timeline(given)
    const shown = [...[...rows, ...known].map(({ text }) => text), ...gaps]
    expect(shown.filter((text) => text.includes('a b')).length).toBeGreaterThan(7)
    for (const text of shown) {
      expect(text).not.toContain(token)
      expect(text).not.toMatch(/\p{Cc}|\p{Cf}/u)
      expect(text.length).toBeLessThan(700)
    }
  })

  it('cannot make times that no calendar has', () => {
    const given: SnapshotGiven = {
      cluster: { pods: listed([pod({ createdAt: 1e20, startedAt: Number.NaN, deletedAt: -5 })]) },
      forge: { jobs: listed([job({ completedAt: 1e300 })]) },
    }
    const { rows, endAt } = timeline(given)
    for (const { at: time } of rows) expect(new Date(time).getUTCFullYear()).toBe(2026)
    expect(endAt).toBe(at(4))
  })
})
