import { describe, expect, it } from 'vitest'
import type { ForgeJobFact, RunnerFact } from '../../snapshot/index.ts'
import {
  forgeJobFact,
  listed,
  minuteMs,
  podFact,
  readAt,
  runnerFact,
  scaleSetFact,
  snapshotOf,
  unread,
} from '../../snapshot/testing/facts.ts'
import { wholeScope } from '../scope.ts'
import { contractOf, declaredLane, found, judged } from '../testing/judge.ts'
import { sharedLabels } from './index.ts'
import { percentile } from './tables.ts'

function working(name: string, repository: string): RunnerFact {
  const workflowRef = `${repository}/.github/workflows/ci.yml@refs/heads/main`
  return runnerFact(name, {
    job: { requestId: '1', id: null, name: 'test', repository, workflowRef, runId: 31 },
  })
}

function started(
  jobId: number,
  repository: string,
  queuedMinutesAgo: number,
  waitMinutes: number,
): ForgeJobFact {
  const queuedAt = readAt - queuedMinutesAgo * minuteMs
  const startedAt = queuedAt + waitMinutes * minuteMs
  return forgeJobFact(jobId, { repository, status: 'completed', conclusion: 'success', queuedAt, startedAt })
}

function queued(jobId: number, repository: string, minutesAgo: number): ForgeJobFact {
  return forgeJobFact(jobId, { repository, queuedAt: readAt - minutesAgo * minuteMs })
}

const sets = listed([scaleSetFact('linux', { maxRunners: 2 })])

describe('shared-label-fairness-contention', () => {
  const shared = {
    cluster: { scaleSets: sets, runners: listed([working('r1', 'acme/web'), working('r2', 'acme/api')]) },
    forge: { jobs: listed([queued(1, 'acme/docs', 10)]) },
  }
  const declared = contractOf({ lanes: [declaredLane('linux')] })

  it('is likely without a contract, and proven where the lane declares no priority and is full', () => {
    const { findings } = judged(sharedLabels, snapshotOf(shared))
    expect(findings).toMatchObject([
      { class: 'shared-label-fairness-contention', subject: { name: 'linux' }, confidence: 'likely' },
    ])
    expect(findings[0]?.mustNotConclude[0]).toContain('Contention is not exhaustion')
    const proven = judged(sharedLabels, snapshotOf(shared), { contract: declared })
    expect(proven.findings).toMatchObject([{ confidence: 'proven' }])
  })

  it('is never proven where another set may have room', () => {
    const { cluster, forge } = shared
    const partly = { cluster: { ...cluster, scaleSets: unread('sets', sets.items) }, forge }
    const { findings, unjudged } = judged(sharedLabels, snapshotOf(partly), { contract: declared })
    expect(findings).toMatchObject([{ confidence: 'likely' }])
    expect(unjudged.map((each) => each.class)).toContain('shared-label-fairness-contention')
  })

  it('is not there with a policy, with one holder, or with nothing that waits', () => {
    const policy = contractOf({ lanes: [declaredLane('linux', { hasPriorityPolicy: true })] })
    expect(judged(sharedLabels, snapshotOf(shared), { contract: policy }).findings).toEqual([])
    const one = { ...shared.cluster, runners: listed([working('r1', 'acme/web'), working('r2', 'acme/web')]) }
    expect(judged(sharedLabels, snapshotOf({ ...shared, cluster: one })).findings).toEqual([])
    const served = { jobs: listed([queued(1, 'acme/docs', 0.5)]) }
    expect(judged(sharedLabels, snapshotOf({ ...shared, forge: served })).findings).toEqual([])
  })
})

describe('repository-starved', () => {
  const overtaking = [1, 2, 3, 4].map((id) => started(id, 'acme/web', 20, 2))
  const audit = (jobs: readonly ForgeJobFact[]) =>
    judged(sharedLabels, snapshotOf({ cluster: { scaleSets: sets }, forge: { jobs: listed(jobs) } }))

  it('is proven where later jobs of others started and none of its own did', () => {
    const { findings } = audit([...overtaking, queued(9, 'acme/docs', 40)])
    expect(findings).toMatchObject([
      {
        class: 'repository-starved',
        subject: { kind: 'repository', name: 'acme/docs' },
        summary: 'acme/docs has waited 40 min for linux while 4 later jobs of others got runners.',
      },
    ])
  })

  it.each<[string, ForgeJobFact[]]>([
    ['jobs of others were queued before it', [1, 2, 3, 4].map((id) => started(id, 'acme/web', 50, 20))],
    ['one of its own got a runner meanwhile', [...overtaking, started(5, 'acme/docs', 30, 1)]],
    ['only two overtook it', overtaking.slice(0, 2)],
    ['others ask for another label', overtaking.map((job) => ({ ...job, labels: ['linux', 'gpu'] }))],
  ])('is not there where %s', (_, others) => {
    expect(audit([...others, queued(9, 'acme/docs', 40)]).findings).toEqual([])
  })

  it('is not there for a short wait, nor for a repository that no set serves', () => {
    expect(
      audit([1, 2, 3].map((id) => started(id, 'acme/web', 10, 1)).concat(queued(9, 'acme/docs', 14)))
        .findings,
    ).toEqual([])
    expect(audit([...overtaking, queued(9, 'stranger/docs', 40)]).findings).toEqual([])
  })

  it('is left open where not all jobs are known: one that started would disprove it', () => {
    const jobs = unread('jobs of acme/docs', [...overtaking, queued(9, 'acme/docs', 40)])
    const { findings, unjudged } = judged(
      sharedLabels,
      snapshotOf({ cluster: { scaleSets: sets }, forge: { jobs } }),
    )
    expect(findings).toEqual([])
    expect(unjudged.map((each) => each.class)).toContain('repository-starved')
  })
})

describe('the tables of shared labels', () => {
  it('show topology, holders with their share, and waits by repository', () => {
    const runners = [
      ...[working('r1', 'acme/web'), working('r2', 'acme/web'), working('r3', 'acme/api')],
      runnerFact('r4'),
      runnerFact('r5', { phase: null, isReady: false }),
      runnerFact('r6', { phase: 'Failed', isReady: false }),
    ]
    const jobs = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((id) => started(id, 'acme/web', 30, id))
    const { tables } = judged(
      sharedLabels,
      snapshotOf({
        cluster: { scaleSets: sets, runners: listed(runners), pods: listed([podFact('r1'), podFact('r4')]) },
        forge: { jobs: listed([...jobs, queued(11, 'acme/api', 3)]) },
      }),
    )
    expect(tables.map(({ rows }) => rows)).toEqual([
      [['linux', 'arc-runners/linux', 'node-1', '2', '3', '1', '1', '1']],
      [
        ['linux', 'acme/web', 'ci.yml', '2', '67 %'],
        ['linux', 'acme/api', 'ci.yml', '1', '33 %'],
      ],
      [
        ['linux', 'acme/web', '10', '5 min', '9 min', '10 min', '0', ''],
        ['linux', 'acme/api', '1', '3 min', '3 min', '3 min', '1', '3 min'],
      ],
    ])
  })

  it('are bounded, and say so', () => {
    const jobs = [...Array(150).keys()].map((id) => started(id, `acme/r${id}`, 30, 1))
    const { tables } = judged(
      sharedLabels,
      snapshotOf({ cluster: { scaleSets: sets }, forge: { jobs: listed(jobs) } }),
    )
    expect(tables[1]?.title).toBe('Waits for a runner (100 of 150)')
    expect(tables[1]?.rows).toHaveLength(100)
  })

  it('show labels that were asked for, and no others', () => {
    const both = listed([scaleSetFact('linux'), scaleSetFact('gpu')])
    const narrowed = { ...wholeScope, labels: ['GPU'] }
    const { tables } = judged(sharedLabels, snapshotOf({ cluster: { scaleSets: both } }), { narrowed })
    expect(tables[0]?.rows.map(([label]) => label)).toEqual(['gpu'])
  })

  it('take the nearest rank as percentile', () => {
    expect([0.5, 0.9, 1].map((share) => percentile([1, 2, 3, 4], share))).toEqual([2, 4, 4])
    expect(percentile([7], 0.5)).toBe(7)
  })
})

describe('a label without holders or jobs', () => {
  it('has no finding', () => {
    expect(found(judged(sharedLabels, snapshotOf({ cluster: { scaleSets: sets } })))).toEqual([])
  })
})
