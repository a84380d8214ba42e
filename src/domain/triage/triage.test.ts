import { describe, expect, it } from 'vitest'
import { arcSnapshot } from '../../../test/support/arc-states.ts'
import { audits } from '../audit/index.ts'
import type { ForgeJobFact, PodFact } from '../snapshot/index.ts'
import {
  containerFact,
  forgeJobFact,
  forgeRunnerFact,
  listed,
  listenerFact,
  podFact,
  readAt,
  runnerFact,
  type SnapshotGiven,
  scaleSetFact,
  snapshotOf,
  terminatedState,
  unread,
  waitingState,
} from '../snapshot/testing/facts.ts'
import { guide, type TriageSubject, triage } from './index.ts'

const job = (jobId: number): TriageSubject => ({ kind: 'job', repository: 'acme/web', jobId })
const runner = (name: string, namespace: string | null = null): TriageSubject => ({
  kind: 'runner',
  namespace,
  name,
})

function ask(subject: TriageSubject, given: SnapshotGiven) {
  const [first] = triage(subject, snapshotOf(given), null)
  return first
}

describe('the guide', () => {
  it('asks only audits that there are', () => {
    const names = new Set(audits.map(({ name }) => name))
    expect(guide.flatMap(({ audit }) => (audit === null || names.has(audit) ? [] : [audit]))).toEqual([])
  })
})

describe('a job that waits', () => {
  const cluster = { scaleSets: listed([scaleSetFact('linux')]) }

  it('leads to what keeps its set from getting runners, and not to other sets', () => {
    const other = scaleSetFact('gpu', { phase: 'Running' })
    const answer = ask(job(1), {
      cluster: { scaleSets: listed([scaleSetFact('linux'), other]) },
      forge: { jobs: listed([forgeJobFact(1)]) },
    })
    expect(answer?.situation).toBe('job-waits')
    expect(answer?.findings.map(({ class: name, subject }) => `${name} ${subject.name}`)).toContain(
      'listener-missing linux',
    )
    expect(answer?.findings.some(({ subject }) => subject.name === 'gpu')).toBe(false)
    expect(answer?.isReached).toBe(true)
  })

  it('has no verdict where nothing is found, and says what could not be judged', () => {
    const answer = ask(job(1), {
      cluster: {
        ...cluster,
        listeners: unread('autoscalinglisteners'),
        pods: unread('pods'),
        secrets: unread('secrets'),
      },
      forge: { jobs: listed([forgeJobFact(1)]) },
    })
    expect(answer).toMatchObject({ isReached: false, findings: [] })
    expect(answer?.unjudged.map(({ needs }) => needs)).toContain('list autoscalinglisteners')
  })
})

describe('a job that failed', () => {
  const failed = forgeJobFact(1, {
    status: 'completed',
    conclusion: 'failure',
    runnerName: 'linux-1',
    steps: [
      {
        number: 2,
        name: 'Run tests',
        status: 'completed',
        conclusion: 'failure',
        startedAt: null,
        completedAt: null,
      },
    ],
  })

  it('is its own doing where a step of it failed and its log says nothing else', () => {
    const logs = listed([
      { repository: 'acme/web', jobId: 1, lines: ['2 tests failed', 'exit 1'], isCut: false },
    ])
    const answer = ask(job(1), { forge: { jobs: listed([failed]), logs } })
    expect(answer?.jobVerdict).toMatchObject({ class: 'own-step', step: 'Run tests' })
    expect(answer?.isReached).toBe(true)
  })

  it('that trusted no certificate has the CA bundles of its runner as evidence', () => {
    const lines = ['npm error code UNABLE_TO_GET_ISSUER_CERT_LOCALLY']
    const logs = listed([{ repository: 'acme/web', jobId: 1, lines, isCut: false }])
    const env = [{ name: 'SSL_CERT_FILE', value: '/etc/ssl/ca.pem', from: 'value' as const, ref: null }]
    const because = (pods: readonly PodFact[]) =>
      ask(job(1), { cluster: { pods: listed(pods) }, forge: { jobs: listed([failed]), logs } })?.jobVerdict
    expect(because([podFact('linux-1', { containers: [containerFact({ env })] })])).toMatchObject({
      class: 'build-ca-missing',
      because: expect.arrayContaining([
        'Its runner is given SSL_CERT_FILE=/etc/ssl/ca.pem, which a build sandbox need not see.',
      ]),
    })
    expect(because([podFact('linux-1')])?.because.at(-1)).toContain('Its runner is given none either')
    expect(because([])?.unknown).toContain('whether one is set where the log does not show it')
  })

  it('leads to the kill of its runner where there was one', () => {
    const killed = podFact('linux-1', { phase: 'Failed' })
    const statuses = killed.statuses.map((status) => ({
      ...status,
      state: terminatedState(137, 'OOMKilled'),
    }))
    const answer = ask(job(1), {
      cluster: {
        scaleSets: listed([scaleSetFact('linux')]),
        listeners: listed([listenerFact('linux')]),
        runners: listed([runnerFact('linux-1')]),
        pods: listed([{ ...killed, statuses }, podFact('linux-listener', { namespace: 'arc-systems' })]),
      },
      forge: { jobs: listed([failed]) },
    })
    expect(answer?.findings.map((finding) => finding.class)).toContain('container-oom')
  })
})

describe('a run', () => {
  it('has a case for each of its jobs', () => {
    const jobs = [forgeJobFact(1), forgeJobFact(2), forgeJobFact(3, { runId: 99 })]
    const snapshot = snapshotOf({ forge: { jobs: listed(jobs) } })
    const cases = triage({ kind: 'run', repository: 'Acme/Web', runId: 31 }, snapshot, null)
    expect(cases.map(({ found }) => found.job?.jobId)).toEqual([1, 2])
  })
})

describe('a job that was run again', () => {
  const attempt = (number: number, given: Partial<ForgeJobFact>) =>
    forgeJobFact(86 + number, {
      runAttempt: number,
      status: 'completed',
      runnerName: `linux-${number}`,
      startedAt: readAt + number,
      completedAt: readAt + number + 1,
      ...given,
    })
  const jobs = [attempt(1, { conclusion: 'failure' }), attempt(2, { conclusion: 'success' })]
  const lint = forgeJobFact(90, { name: 'lint', runAttempt: 2, status: 'completed', conclusion: 'success' })
  const log = { repository: 'acme/web', jobId: 87, lines: ['write: no space left on device'], isCut: false }
  const given: SnapshotGiven = {
    cluster: { pods: listed([podFact('linux-1', { node: 'honey' }), podFact('linux-2', { node: 'sting' })]) },
    forge: { jobs: listed([...jobs, lint]), logs: listed([log]) },
  }

  it('has both attempts side by side, whichever is asked about, each with its node and verdict', () => {
    for (const id of [87, 88]) {
      const answer = ask(job(id), given)
      expect(answer?.found.job?.jobId).toBe(id)
      expect(answer?.attempts?.outcome).toBe('passed-on-same-commit')
      expect(
        answer?.attempts?.attempts.map(({ number, node, verdict }) => `${number} ${node} ${verdict?.class}`),
      ).toEqual(['1 honey disk-full', '2 sting undefined'])
    }
  })
  it('is one case of its run, the newest attempt', () => {
    const cases = triage({ kind: 'run', repository: 'acme/web', runId: 31 }, snapshotOf(given), null)
    expect(cases.map(({ found }) => found.job?.jobId)).toEqual([88, 90])
    expect(cases[0]?.attempts?.attempts).toHaveLength(2)
    // Of `lint` the run's other attempt is not among the facts.
    expect(cases[1]?.attempts?.unknown).toEqual(['attempt 1: the forge does not show it, or it was not read'])
  })
  it('has nothing to compare where it ran once', () => {
    expect(ask(job(1), { forge: { jobs: listed([forgeJobFact(1)]) } })?.attempts).toBeNull()
  })
})

describe('a runner', () => {
  it('that does not start leads to the image that is refused', () => {
    const pod = podFact('linux-1', { phase: 'Pending', node: 'node-1' })
    const statuses = pod.statuses.map((status) => ({
      ...status,
      state: waitingState('ImagePullBackOff', 'Back-off pulling image "x": 401 Unauthorized'),
    }))
    const answer = ask(runner('linux-1'), {
      cluster: {
        runners: listed([runnerFact('linux-1', { phase: 'Pending' })]),
        pods: listed([{ ...pod, statuses }]),
      },
    })
    expect(answer?.situation).toBe('runner-starts')
    expect(answer?.findings.map((finding) => finding.class)).toContain('image-pull-blocked')
  })

  it('is the one in the namespace that is named', () => {
    const pods = listed([podFact('a'), podFact('a', { namespace: 'other', node: 'node-2' })])
    expect(ask(runner('a', 'other'), { cluster: { pods } })?.found.pod?.node).toBe('node-2')
  })

  it('is found by the forge alone, too', () => {
    const answer = ask(runner('far'), { forge: { runners: listed([forgeRunnerFact('far')]) } })
    expect(answer?.found.forgeRunner?.name).toBe('far')
  })

  it('that nothing names has no case', () => {
    expect(triage(runner('none'), snapshotOf(), null)).toEqual([])
  })
})

describe('states that ARC wrote', () => {
  it('answer for one idle runner of a rollover that hangs', () => {
    const snapshot = arcSnapshot('head/c-rollover-deadlock', { withForge: true })
    const [first] = snapshot.cluster.runners.items
    const [answer] = triage(runner(first?.name ?? ''), snapshot, null)
    expect(answer?.findings.map((finding) => finding.class)).toContain('rollover-deadlock')
  })
})
