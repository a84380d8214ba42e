import { describe, expect, it } from 'vitest'
import type { NodeProbeFact } from '../../snapshot/index.ts'
import {
  forgeJobFact,
  forgeRunnerFact,
  listed,
  minuteMs,
  podFact,
  readAt,
  runnerFact,
  runnerSetFact,
  scaleSetFact,
  templateFact,
} from '../../snapshot/testing/facts.ts'
import { found, judged } from '../testing/judge.ts'
import { runtime } from './index.ts'
import { type FleetGiven, fleetOf, job } from './testing/fleet.ts'

function judge(given: FleetGiven) {
  return judged(runtime, fleetOf(given)).findings
}

function classes(given: FleetGiven): readonly string[] {
  return found(judged(runtime, fleetOf(given)))
}

describe('cancelled-job-handoff', () => {
  const over = forgeJobFact(1, { status: 'completed', conclusion: 'cancelled', runnerName: 'linux-1' })
  const next = forgeJobFact(2)
  const lane = { set: { maxRunners: 1 }, runners: [runnerFact('linux-1', { job })] }

  it('is the only runner of a lane, kept for a job that is over while the next one waits', () => {
    expect(judge({ ...lane, forge: { jobs: [over, next] } })).toMatchObject([
      { class: 'cancelled-job-handoff', confidence: 'proven', nextAllowedAction: { kind: 'read' } },
    ])
  })

  it('may be put right by a person once an agent sees no worker process', () => {
    const snapshot = fleetOf({ ...lane, forge: { jobs: [over, next] } })
    const probe = (workers: readonly string[]): NodeProbeFact => ({
      node: 'node-1',
      at: readAt,
      fileTable: null,
      openFilesMax: null,
      workers,
    })
    const actionWith = (workers: readonly string[]) => {
      const cluster = { ...snapshot.cluster, nodeProbes: listed([probe(workers)]) }
      return judged(runtime, { ...snapshot, cluster }).findings[0]?.nextAllowedAction.kind
    }
    expect([actionWith([]), actionWith(['linux-1'])]).toEqual(['person', 'read'])
  })

  it.each([
    [
      'the forge calls it busy',
      { runners: [forgeRunnerFact('linux-1', { isBusy: true })], jobs: [over, next] },
    ],
    ['no job waits for it', { jobs: [over] }],
    [
      'the job that waits is of another owner',
      { jobs: [over, { ...next, repository: 'other/web', queuedAt: readAt - minuteMs }] },
    ],
    ['nobody asked the forge', null],
  ])('is none where %s', (_why, forge) => {
    expect(classes({ ...lane, forge })).toEqual([])
  })

  it('is none in a lane with another slot, and none where the runner simply waits for its job', () => {
    const forge = { jobs: [over, next] }
    expect(classes({ ...lane, set: { maxRunners: 2 }, forge })).toEqual([])
    expect(classes({ ...lane, runners: [runnerFact('linux-1')], forge: { jobs: [next] } })).toEqual([])
  })
})

describe('label-unreachable', () => {
  const lost = forgeJobFact(1, { labels: ['gpu'] })

  it('is a queued job whose labels nothing has', () => {
    expect(classes({ forge: { jobs: [lost] } })).toEqual(['label-unreachable gpu'])
  })

  it('is a job of an owner whom the set with its label does not serve: scope, not capacity', () => {
    const [finding] = judge({ forge: { jobs: [forgeJobFact(1, { repository: 'other/web' })] } })
    expect(finding).toMatchObject({ class: 'label-unreachable', subject: { name: 'linux' } })
    expect(JSON.stringify(finding?.evidence)).toContain('https://github.com/acme')
  })

  it.each([
    ['a set has the label, in whatever case', forgeJobFact(1, { labels: ['Linux'] }), []],
    ['a runner outside of ARC has it', lost, [forgeRunnerFact('bare', { labels: ['self-hosted', 'gpu'] })]],
    ['GitHub runs it itself', forgeJobFact(1, { labels: ['ubuntu-24.04'] }), []],
    ['it was queued a minute ago', { ...lost, queuedAt: readAt - minuteMs }, []],
  ])('is none where %s', (_why, queued, runners) => {
    expect(classes({ forge: { jobs: [queued], runners } })).toEqual([])
  })
})

describe('label-unreachable next to pools of Holdfast', () => {
  const queued = forgeJobFact(1, { labels: ['gpu'] })
  const withPool = (runnerLabels: readonly string[]) => {
    const snapshot = fleetOf({ forge: { jobs: [queued] } })
    const { scaleSets } = snapshot.cluster
    const own = { origin: 'holdfast', configUrl: null, forgeScaleSetId: null, runnerLabels } as const
    const items = [...scaleSets.items, scaleSetFact('own', own)]
    return found(
      judged(runtime, { ...snapshot, cluster: { ...snapshot.cluster, scaleSets: { ...scaleSets, items } } }),
    )
  }

  it('is a job whose labels no pool has either', () => {
    expect(withPool(['arm64'])).toEqual(['label-unreachable gpu'])
  })
  it('is none where a pool has them: it needs no number at the forge', () => {
    expect(withPool(['gpu'])).toEqual([])
  })
})

describe('offline-no-job-cleanup-candidate', () => {
  const runner = runnerFact('linux-1')
  const offline = forgeRunnerFact('linux-1', { isOnline: false })

  it('is a runner that the forge lists as offline and not busy; a person may remove it', () => {
    expect(judge({ runners: [runner], forge: { runners: [offline] } })).toMatchObject([
      { class: 'offline-no-job-cleanup-candidate', nextAllowedAction: { kind: 'person', command: null } },
    ])
  })

  const trapOf = (given: FleetGiven) =>
    judge({ runners: [runner], forge: { runners: [offline] }, ...given }).find(
      (finding) => finding.class === 'offline-no-job-cleanup-candidate',
    )?.nextAllowedAction
  const unwanted = { generations: [runnerSetFact('linux', { replicas: 0 })] }

  it('is the reaper’s where it is above the wanted number and has no pod', () => {
    expect(trapOf({ ...unwanted, pods: [] })).toMatchObject({
      kind: 'change',
      command: 'holdfast reap --scale-set arc-runners/linux',
    })
  })

  it('is not the reaper’s where it is wanted, or its container has started', () => {
    expect(trapOf({ pods: [] })?.command).toBeNull()
    expect(trapOf({ ...unwanted, pods: [podFact('linux-1')] })?.command).toBeNull()
  })

  it.each([
    ['online', runner, forgeRunnerFact('linux-1')],
    ['starting', { ...runner, createdAt: readAt - minuteMs }, offline],
    ['without a pod yet', { ...runner, phase: null, isReady: false }, offline],
    ['working, by its own object', { ...runner, job }, offline],
  ])('is no runner that is %s', (_what, given, atForge) => {
    expect(classes({ runners: [given], forge: { runners: [atForge] } })).toEqual([])
  })
})

describe('assigned-job-at-risk', () => {
  const runner = runnerFact('linux-1', { job })
  const busy = forgeRunnerFact('linux-1', { isBusy: true })

  it('is a job that the forge counts on while its runner is offline', () => {
    expect(classes({ runners: [runner], forge: { runners: [{ ...busy, isOnline: false }] } })).toEqual([
      'assigned-job-at-risk linux-1',
    ])
  })

  it('is a job whose pod has failed', () => {
    const pods = [podFact('linux-1', { phase: 'Failed' })]
    expect(classes({ runners: [runner], pods, forge: { runners: [busy] } })).toEqual([
      'assigned-job-at-risk linux-1',
    ])
  })

  it('is no job that runs, and none that is over at the forge', () => {
    expect(classes({ runners: [runner], forge: { runners: [busy] } })).toEqual([])
    const pods = [podFact('linux-1', { phase: 'Failed' })]
    expect(classes({ runners: [runner], pods, forge: { runners: [forgeRunnerFact('linux-1')] } })).toEqual([])
  })
})

describe('runner-version-refused', () => {
  function withImage(image: string): FleetGiven {
    const [container] = templateFact().containers
    const containers = container === undefined ? [] : [{ ...container, image }]
    return { set: { template: templateFact({ containers }) }, generations: [] }
  }

  it('is now for a version that GitHub was seen to refuse before the snapshot', () => {
    const [finding] = judge(withImage('ghcr.io/actions/actions-runner:2.331.0'))
    expect(finding).toMatchObject({ class: 'runner-version-refused-now', confidence: 'likely' })
    expect(JSON.stringify(finding?.evidence)).toContain('https://github.com/actions/runner/issues/4392')
  })

  it('is soon for a version whose day is weeks away', () => {
    expect(classes(withImage('ghcr.io/actions/actions-runner:2.333.1'))).toEqual([
      'runner-version-refused-soon linux',
    ])
  })

  it('goes by the version that the forge lists, where it does', () => {
    const forge = { runners: [forgeRunnerFact('linux-1', { version: '2.325.0' })] }
    expect(classes({ runners: [runnerFact('linux-1')], forge })).toEqual(['runner-version-refused-now linux'])
  })

  it('is none for a version that nothing known refuses', () => {
    expect(classes(withImage('ghcr.io/actions/actions-runner:2.334.0'))).toEqual([])
  })

  it.each([
    'ghcr.io/actions/actions-runner:latest',
    'ghcr.io/acme/actions-runner-nix:1.4.0',
    'ghcr.io/actions/actions-runner@sha256:0123',
  ])('is left open for an image that does not say its runner’s version: %s', (image) => {
    const { findings, unjudged } = judged(runtime, fleetOf(withImage(image)))
    expect(findings).toEqual([])
    expect(unjudged).toContainEqual(expect.objectContaining({ class: 'runner-version-refused-now' }))
  })

  it('is left open for a GitHub Enterprise Server, which has its own minimum', () => {
    const given = withImage('ghcr.io/actions/actions-runner:2.311.0')
    const snapshot = fleetOf({ ...given, set: { ...given.set, configUrl: 'https://git.acme.example/acme' } })
    expect(found(judged(runtime, snapshot))).toEqual([])
  })
})
