import { describe, expect, it } from 'vitest'
import type { JobLogFact, LogFact, NodeProbeFact, StepFact } from '../../snapshot/index.ts'
import {
  forgeJobFact,
  forgeRunnerFact,
  listed,
  minuteMs,
  podFact,
  readAt,
  runnerFact,
  type SnapshotGiven,
  snapshotOf,
  unread,
} from '../../snapshot/testing/facts.ts'
import { wholeScope } from '../scope.ts'
import { found, judged } from '../testing/judge.ts'
import { fileTable } from './index.ts'

const probe = (allocated: number, max = 100_000): NodeProbeFact => ({
  node: 'node-1',
  at: readAt,
  fileTable: { allocated, max },
  openFilesMax: 1_048_576,
  workers: null,
})

function audit(given: SnapshotGiven) {
  return judged(fileTable, snapshotOf(given))
}

describe('host-file-table-pressure', () => {
  it('is proven by the agent, with the runners on the node', () => {
    const cluster = {
      nodeProbes: listed([probe(98_500)]),
      pods: listed([podFact('r1'), podFact('web')]),
      runners: listed([runnerFact('r1')]),
    }
    const { findings } = audit({ cluster })
    expect(findings).toMatchObject([
      {
        class: 'host-file-table-pressure',
        severity: 'critical',
        confidence: 'proven',
        summary: 'The file table of node-1 is 99 % full.',
      },
    ])
    expect(findings[0]?.evidence.map(({ text }) => text)).toEqual([
      '98500 of 100000 files are open on the node',
      'one process may open 1048576 files',
      'runners there: r1',
    ])
    expect(findings[0]?.mustNotConclude.join()).toContain('EMFILE is another thing')
  })

  it('warns from nine tenths on, and not below; a kernel without a real bound never fills', () => {
    expect(audit({ cluster: { nodeProbes: listed([probe(90_000)]) } }).findings).toMatchObject([
      { severity: 'warning' },
    ])
    expect(audit({ cluster: { nodeProbes: listed([probe(89_000)]) } }).findings).toEqual([])
    const endless = probe(90_000, Number.MAX_SAFE_INTEGER)
    expect(audit({ cluster: { nodeProbes: listed([endless]) } }).findings).toEqual([])
  })

  const jobLog = (line: string): JobLogFact => ({
    repository: 'acme/web',
    jobId: 7,
    lines: ['npm ci', line],
    isCut: false,
  })
  const ran = forgeJobFact(7, { runnerName: 'r1', status: 'completed', conclusion: 'failure' })

  it('is likely where a log says ENFILE, with the node where it was', () => {
    const { findings } = audit({
      cluster: { pods: listed([podFact('r1')]), nodeProbes: listed([probe(20_000)]) },
      forge: { logs: listed([jobLog('Error: spawn ps ENFILE')]), jobs: listed([ran]) },
    })
    expect(findings).toMatchObject([
      {
        class: 'host-file-table-pressure',
        confidence: 'likely',
        subject: { kind: 'repository', name: 'acme/web' },
      },
    ])
    expect(findings[0]?.evidence.map(({ text }) => text)).toEqual([
      'the log of job 7 says: Error: spawn ps ENFILE',
      'on node-1',
      'file tables now: node-1 20 %',
    ])
  })

  it('is not EMFILE, which is a class of its own', () => {
    const emfile = audit({ forge: { logs: listed([jobLog('Error: EMFILE: too many open files, watch')]) } })
    expect(emfile.findings).toMatchObject([
      { class: 'process-file-table', severity: 'notice', confidence: 'likely' },
    ])
    const enfile = audit({ forge: { logs: listed([jobLog('open: Too many open files in system')]) } })
    expect(enfile.findings).toMatchObject([{ class: 'host-file-table-pressure' }])
    expect(audit({ forge: { logs: listed([jobLog('added 1 package')]) } }).findings).toEqual([])
  })

  it('reads the logs of runners, and not those of listeners', () => {
    const log = (role: LogFact['role']): LogFact => ({
      pod: { namespace: 'arc-runners', name: 'r1' },
      container: 'runner',
      role,
      lines: ['ENFILE: file table overflow'],
      isCut: false,
    })
    expect(found(audit({ cluster: { runnerLogs: listed([log('runner')]) } }))).toEqual([
      'host-file-table-pressure arc-runners',
    ])
    expect(audit({ cluster: { logs: listed([log('listener')]) } }).findings).toEqual([])
  })

  it('is left open without an agent', () => {
    const { unjudged } = audit({ cluster: { nodeProbes: unread<NodeProbeFact>('node probes') } })
    expect(unjudged).toMatchObject([{ class: 'host-file-table-pressure', needs: 'list node probes' }])
  })
})

describe('listener-aborted-finalization', () => {
  const step = (number: number, minutesAgo: number | null): StepFact => ({
    number,
    name: `step ${number}`,
    status: minutesAgo === null ? 'in_progress' : 'completed',
    conclusion: minutesAgo === null ? null : 'success',
    startedAt: readAt - 60 * minuteMs,
    completedAt: minutesAgo === null ? null : readAt - minutesAgo * minuteMs,
  })
  const open = (...minutesAgo: readonly (number | null)[]) =>
    forgeJobFact(7, {
      status: 'in_progress',
      runnerName: 'r1',
      steps: minutesAgo.map((minutes, index) => step(index, minutes)),
    })

  it('is proven where all steps are done, the job is open and its runner is gone', () => {
    const { findings } = audit({ forge: { jobs: listed([open(40, 30)]) } })
    expect(findings).toMatchObject([
      {
        class: 'listener-aborted-finalization',
        subject: { kind: 'job', name: 'acme/web#7' },
        confidence: 'proven',
        summary: 'test of acme/web has been done for 30 min and is still open.',
      },
    ])
    expect(findings[0]?.nextAllowedAction.kind).toBe('read')
  })

  it('holds for a runner that is registered and offline, with an ended pod', () => {
    const runners = listed([forgeRunnerFact('r1', { isOnline: false })])
    const cluster = { pods: listed([podFact('r1', { phase: 'Failed' })]) }
    expect(found(audit({ cluster, forge: { runners, jobs: listed([open(30)]) } }))).toEqual([
      'listener-aborted-finalization acme/web#7',
    ])
  })

  it.each<[string, SnapshotGiven]>([
    ['a step is open', { forge: { jobs: listed([open(40, null)]) } }],
    ['the last step ended just now', { forge: { jobs: listed([open(40, 2)]) } }],
    ['the job is over', { forge: { jobs: listed([{ ...open(30), status: 'completed' }]) } }],
    ['its steps are not known', { forge: { jobs: listed([{ ...open(), steps: null }]) } }],
    [
      'its runner is online',
      { forge: { jobs: listed([open(30)]), runners: listed([forgeRunnerFact('r1')]) } },
    ],
    ['its pod runs', { forge: { jobs: listed([open(30)]) }, cluster: { pods: listed([podFact('r1')]) } }],
  ])('is not there where %s', (_, given) => {
    expect(audit(given).findings).toEqual([])
  })

  it('is left open where pods or runners could not be listed', () => {
    const jobs = listed([open(30)])
    const withoutPods = audit({ cluster: { pods: unread<never>('pods') }, forge: { jobs } })
    expect(withoutPods.findings).toEqual([])
    expect(withoutPods.unjudged).toMatchObject([
      { class: 'listener-aborted-finalization', needs: 'list pods' },
    ])
    expect(audit({ forge: { jobs, runners: unread<never>('runners') } }).findings).toEqual([])
  })

  it('is looked for at the runner that was asked for alone', () => {
    const snapshot = snapshotOf({ forge: { jobs: listed([open(30)]) } })
    expect(judged(fileTable, snapshot, { narrowed: { ...wholeScope, runner: 'r2' } }).findings).toEqual([])
    expect(judged(fileTable, snapshot, { narrowed: { ...wholeScope, runner: 'r1' } }).findings).toHaveLength(
      1,
    )
  })
})
