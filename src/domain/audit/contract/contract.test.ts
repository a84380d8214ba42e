import { describe, expect, it } from 'vitest'
import type { ScaleSetFact, Snapshot } from '../../snapshot/index.ts'
import {
  containerFact,
  listed,
  nodeFact,
  type SnapshotGiven,
  scaleSetFact,
  snapshotOf,
  templateFact,
  unread,
  waitingState,
} from '../../snapshot/testing/facts.ts'
import { healthyFleet } from '../testing/healthy-fleet.ts'
import { contractOf, declaredLane, found, judged } from '../testing/judge.ts'
import type { DeclaredLane } from './contract.ts'
import { contract } from './index.ts'

const gi = 2 ** 30

describe('a scale set that is not as declared (declared-live-drift)', () => {
  it('is one finding with every difference, each with file and line', () => {
    const { findings } = audit(
      scaleSetFact('linux', {
        maxRunners: 20,
        template: templateFact({ containers: [containerFact({ limits: { memory: gi } })] }),
      }),
      {
        maxRunners: 16,
        containers: [{ name: 'runner', image: null, requests: {}, limits: { memory: 8 * gi } }],
        places: {
          maxRunners: { file: 'tofu/lanes.tfvars', line: 43 },
          containers: { file: 'values.yaml', line: 17 },
        },
      },
    )
    expect(findings.map(({ class: name, summary }) => `${name}: ${summary}`)).toEqual([
      'declared-live-drift: Scale set arc-runners/linux is not as declared: maxRunners: declared 16 (tofu/lanes.tfvars:43), live 20, and 1 more.',
    ])
    expect(findings[0]?.evidence.map(({ text }) => text)).toEqual([
      'maxRunners: declared 16 (tofu/lanes.tfvars:43), live 20',
      'runner limits.memory: declared 8Gi (values.yaml:17), live 1Gi',
    ])
    expect(findings[0]?.nextAllowedAction.text).toContain('OpenTofu or Terraform')
  })

  const claim = {
    name: 'w',
    kind: 'ephemeral-claim',
    claim: null,
    sizeBytes: null,
    mountPaths: ['/work'],
  } as const
  it.each<[string, Partial<ScaleSetFact>, Partial<DeclaredLane>, string]>([
    ['the minimum', { minRunners: 2 }, { minRunners: 0 }, 'minRunners: declared 0 (lanes.tfvars:7), live 2'],
    ['a maximum that is not set', { maxRunners: null }, { maxRunners: 5 }, 'live no maximum'],
    [
      'the label',
      { runnerLabels: ['other'] },
      { scaleSets: ['linux'] },
      'label: declared linux (lanes.tfvars:7), live other',
    ],
    [
      'the credential',
      {},
      { credential: 'new-app' },
      'credential: declared new-app (lanes.tfvars:7), live github-app',
    ],
    [
      'the pull secret',
      {},
      { pullSecret: 'ghcr-pull' },
      'pull secret: declared ghcr-pull (lanes.tfvars:7), live none',
    ],
    [
      'an image',
      {},
      { containers: [{ name: 'runner', image: 'acme/runner:1', requests: {}, limits: {} }] },
      `runner image: declared acme/runner:1 (lanes.tfvars:7), live ${containerFact().image}`,
    ],
    [
      'a container',
      {},
      { containers: [{ name: 'dind', image: null, requests: {}, limits: {} }] },
      'container dind: declared present (lanes.tfvars:7), live none',
    ],
    [
      'a storage class',
      { template: templateFact({ volumes: [{ ...claim, storageClass: 'slow' }] }) },
      { volumes: [{ mountPath: '/work', storageClass: 'fast' }] },
      'volume at /work: declared fast (lanes.tfvars:7), live slow',
    ],
    [
      'a volume',
      {},
      { volumes: [{ mountPath: '/work', storageClass: 'fast' }] },
      'volume at /work: declared fast (lanes.tfvars:7), live none',
    ],
    [
      'a node that is gone',
      {},
      { nodes: ['honey', 'sting', 'gone'] },
      'node: declared gone (lanes.tfvars:7), live no node of that name',
    ],
    [
      'a node that is not declared',
      {},
      { nodes: ['honey'] },
      'nodes: declared honey (lanes.tfvars:7), live also sting',
    ],
    [
      'a node that is never taken',
      { template: templateFact({ nodeSelector: { pool: 'ci' } }) },
      { nodes: ['honey', 'sting'] },
      'node: declared sting (lanes.tfvars:7), live never placed there: it has not the label pool=ci',
    ],
  ])('sees that %s differs', (_, live, declared, text) => {
    const { findings } = audit(scaleSetFact('linux', live), declared)
    expect(found({ findings, unjudged: [], tables: [] })).toEqual(['declared-live-drift linux'])
    expect(findings[0]?.evidence.map((each) => each.text).join()).toContain(text)
  })

  it('is not found where all that is declared is live', () => {
    const { findings } = audit(scaleSetFact('linux'), {
      scaleSets: ['arc-runners/linux'],
      minRunners: 0,
      maxRunners: 10,
      credential: 'github-app',
      nodes: ['honey', 'sting'],
    })
    expect(findings).toEqual([])
  })
  it('compares the entry of a key vault as the credential', () => {
    const credentialVault = { type: 'azure_key_vault', address: null, entry: 'github-app' }
    const set = scaleSetFact('linux', { credentialSecret: null, credentialVault })
    expect(audit(set, { credential: 'github-app' }).findings).toEqual([])
    expect(audit(set, { credential: 'other' }).findings).toHaveLength(1)
  })
  it('does not compare what is not declared', () => {
    expect(audit(scaleSetFact('linux', { minRunners: 7, maxRunners: null }), {}).findings).toEqual([])
  })
  it('is not concluded of a node that was not read', () => {
    const nodes = unread('nodes', [nodeFact('honey')])
    const judgement = audit(scaleSetFact('linux'), { nodes: ['honey', 'gone'] }, { cluster: { nodes } })
    expect(judgement.findings).toEqual([])
    expect(judgement.unjudged).toEqual([
      { class: 'declared-live-drift', why: 'nodes: forbidden', needs: 'list nodes' },
    ])
  })
})

describe('scale sets and lanes that lack each other', () => {
  it('finds a lane whose scale set is not there (declared-set-missing)', () => {
    const { findings } = audit(scaleSetFact('linux'), { scaleSets: ['linux', 'arc-runners/gone'] })
    expect(findings).toMatchObject([
      {
        class: 'declared-set-missing',
        subject: { kind: 'label', name: 'linux' },
        summary: 'Lane linux is declared in lanes.tfvars:7, and there is no scale set arc-runners/gone.',
      },
    ])
  })
  it('does not conclude it where scale sets were not read whole', () => {
    const scaleSets = unread('scale sets', [scaleSetFact('linux')])
    const judgement = audit(scaleSetFact('linux'), { scaleSets: ['gone'] }, { cluster: { scaleSets } })
    expect(found(judgement)).toEqual(['undeclared-set linux'])
    expect(judgement.unjudged.map(({ class: name }) => name)).toContain('declared-set-missing')
  })
  it('does not expect a scale set for a lane of GitLab Runner', () => {
    const source = { file: 'gitlab/config.toml', line: 3 }
    const judgement = judged(contract, snapshotOf(), {
      contract: contractOf({ lanes: [declaredLane('nix', { source })] }),
    })
    expect(judgement.findings).toEqual([])
  })
  it('finds a scale set of which the contract is silent (undeclared-set), unless it is being deleted', () => {
    const given = [scaleSetFact('linux'), scaleSetFact('extra'), scaleSetFact('going', { deletedAt: 1 })]
    const judgement = audit(scaleSetFact('linux'), {}, { cluster: { scaleSets: listed(given) } })
    expect(judgement.findings).toMatchObject([
      { class: 'undeclared-set', severity: 'notice', subject: { name: 'extra' } },
    ])
  })
})

describe('runners below the minimum (runner-below-minimum)', () => {
  const judge = (image: string) =>
    judged(
      contract,
      fleet(scaleSetFact('linux', { template: templateFact({ containers: [containerFact({ image })] }) })),
      {
        contract: contractOf({ lanes: [declaredLane()], minimumRunnerVersion: '2.331.0' }),
      },
    )

  it('are found by the tag of their image', () => {
    expect(found(judge('ghcr.io/actions/actions-runner:2.329.0'))).toEqual(['runner-below-minimum linux'])
  })
  it.each(['acme/runner:2.331.0', 'acme/runner:2.400.1', 'acme/runner:latest', 'acme/runner@sha256:00'])(
    'are not concluded from %s',
    (image) => {
      expect(found(judge(image))).toEqual([])
    },
  )
})

it('without a contract nothing is judged, and it says how to get one', () => {
  const { findings, unjudged } = judged(contract, fleet(scaleSetFact()))
  expect(findings).toEqual([])
  expect(unjudged).toHaveLength(contract.classes.length)
  expect(unjudged[0]?.needs).toContain('holdfast contract init')
})

function audit(set: ScaleSetFact, lane: Partial<DeclaredLane>, given: SnapshotGiven = {}) {
  return judged(contract, fleet(set, given), {
    contract: contractOf({ lanes: [declaredLane('linux', lane)] }),
  })
}

function fleet(set: ScaleSetFact, { cluster }: SnapshotGiven = {}) {
  const nodes = listed([nodeFact('honey', { labels: { pool: 'ci' } }), nodeFact('sting')])
  return snapshotOf({ cluster: { scaleSets: listed([set]), nodes, ...cluster } })
}

describe('a lane that declares more runners than its set has', () => {
  const fleet = healthyFleet({ sets: 1, runnersPerSet: 3, nodes: 1 })
  const pods = fleet.cluster.pods.items.map((pod) => {
    const state = waitingState('ImagePullBackOff', 'Back-off pulling image')
    const status = { name: 'runner', isReady: false, restarts: 0, imageId: null, state, lastState: null }
    return pod.name === 'set-0-runner-0' ? { ...pod, phase: 'Pending' as const, statuses: [status] } : pod
  })
  const broken = { ...fleet, cluster: { ...fleet.cluster, pods: listed(pods) } }
  const declare = (snapshot: Snapshot, maxRunners: number) =>
    judged(contract, snapshot, {
      contract: contractOf({ lanes: [declaredLane('label-0', { maxRunners })] }),
    }).findings[0]

  it('is not to be applied while findings stand against the raise on its label, which are its evidence', () => {
    const finding = declare(broken, 40)
    expect(finding?.nextAllowedAction).toEqual({
      kind: 'person',
      text: 'The higher maxRunners is refused while findings are open on label-0: image-pull-blocked (arc-runners). Close these first.',
      command: null,
    })
    expect(finding?.evidence[1]?.text).toContain('against the raise: image-pull-blocked: 1 pod')
  })

  it('is not to be applied before everything was judged', () => {
    const blind = { ...fleet, forge: { ...fleet.forge, jobs: unread<never>('jobs') } }
    expect(declare(blind, 40)?.nextAllowedAction.text).toContain(
      'is not allowed before these are judged: shared-label-fairness-contention',
    )
  })

  it('may be applied where nothing is wrong, and a lower one in any case', () => {
    expect(declare(fleet, 40)?.nextAllowedAction.text).toContain('Decide which value is meant')
    expect(declare(broken, 2)?.nextAllowedAction.text).toContain('Decide which value is meant')
  })
})
