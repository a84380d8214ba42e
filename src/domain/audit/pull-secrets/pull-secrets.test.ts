import { describe, expect, it } from 'vitest'
import type { EventFact, PodFact, SecretFact } from '../../snapshot/index.ts'
import {
  containerFact,
  listed,
  listenerFact,
  nodeFact,
  objectFact,
  podFact,
  runnerFact,
  type SnapshotGiven,
  scaleSetFact,
  secretFact,
  snapshotOf,
  templateFact,
  unread,
  waitingState,
} from '../../snapshot/testing/facts.ts'
import { found, judged } from '../testing/judge.ts'
import { pullSecrets } from './index.ts'

const image = 'ghcr.io/actions/gha-runner-scale-set-controller:0.14.2'
const refusal = `Failed to pull image "${image}": unexpected status from HEAD request to https://ghcr.io/v2/: 403 Forbidden`

describe('a listener whose pull is refused', () => {
  it('has no pull secret (controller-pull-secret-missing)', () => {
    const judgement = judged(pullSecrets, fleet({ secrets: [copy('arc-runners', 'good')] }))
    expect(found(judgement)).toEqual(['controller-pull-secret-missing linux-listener'])
    expect(judgement.findings[0]?.mustNotConclude.join(' ')).toMatch(/neither labels nor capacity/)
    expect(judgement.findings[0]?.nextAllowedAction.kind).toBe('person')
  })
  it('has one with credentials for other registries (controller-pull-secret-public-only)', () => {
    const secrets = [copy('arc-systems', 'old', ['docker.io']), copy('arc-runners', 'good')]
    expect(found(judged(pullSecrets, fleet({ secrets })))).toEqual([
      'controller-pull-secret-public-only linux-listener',
    ])
  })
  it('has one that differs from the copy of the runners (controller-pull-secret-stale)', () => {
    const secrets = [copy('arc-systems', 'old0123456789'), copy('arc-runners', 'good')]
    const { findings } = judged(pullSecrets, fleet({ secrets }))
    expect(findings).toMatchObject([{ class: 'controller-pull-secret-stale', confidence: 'likely' }])
    expect(findings[0]?.summary).toContain('arc-systems/ghcr-pull has the hash old01234, ')
  })
  it('has the same one as the runners, and is refused still (credential-invalid)', () => {
    const secrets = [copy('arc-systems', 'same'), copy('arc-runners', 'same')]
    const { findings } = judged(pullSecrets, fleet({ secrets }))
    expect(findings).toMatchObject([{ class: 'credential-invalid', confidence: 'proven' }])
  })
  it('says which nodes have the image and need no pull', () => {
    const given = { cluster: { nodes: listed([nodeFact('honey', { images: [image] }), nodeFact('sting')]) } }
    const { findings } = judged(pullSecrets, fleet({ secrets: [], ...given }))
    expect(findings[0]?.evidence.map(({ text }) => text)).toContain(
      'the image is on honey already, where no pull is needed',
    )
  })
  it('is unjudged where Secrets were not read', () => {
    const { findings, unjudged } = judged(pullSecrets, fleet({ cluster: { secrets: unread('secrets') } }))
    expect(findings).toEqual([])
    expect(new Set(unjudged.map((each) => each.class)).size).toBe(pullSecrets.classes.length)
  })
  it('is unjudged where only the copy of the runners was not read', () => {
    const given = { cluster: { secrets: unread('secrets in arc-runners', [copy('arc-systems', 'old')]) } }
    expect(judged(pullSecrets, fleet(given)).findings).toEqual([])
  })
  it('is unjudged where nothing that was read says why the pull fails', () => {
    const { findings, unjudged } = judged(
      pullSecrets,
      fleet({ secrets: [], cluster: { events: unread('events') } }),
    )
    expect(findings).toEqual([])
    expect(unjudged[0]?.needs).toBe('list events')
  })
})

describe('a pull that fails otherwise', () => {
  it('is not about a pull secret where the image does not exist', () => {
    const event = `Failed to pull image "${image}": ghcr.io/actions/x:0.14.2: not found`
    const judgement = judged(
      pullSecrets,
      fleet({ secrets: [], cluster: { events: listed([pulled(event)]) } }),
    )
    expect(judgement).toMatchObject({ findings: [], unjudged: [] })
  })
  it('is not judged by an event of an earlier pod of the same name', () => {
    const earlier = { ...pulled(refusal), subject: { kind: 'Pod', name: 'linux-listener', uid: 'before' } }
    expect(
      found(judged(pullSecrets, fleet({ secrets: [], cluster: { events: listed([earlier]) } }))),
    ).toEqual([])
  })
})

describe('runners whose pull is refused', () => {
  const message = 'failed to authorize: unexpected status: 401 Unauthorized'
  const runners = ['r1', 'r2'].map((name) => runnerFact(name))
  const pods = ['r1', 'r2'].map((name) =>
    waitingPod(name, { containers: [containerFact({ image: 'ghcr.io/acme/runner-nix:latest' })] }, message),
  )
  const given = (secrets: readonly SecretFact[]) =>
    fleet({ secrets, cluster: { runners: listed(runners), pods: listed(pods), listeners: listed() } })

  it('are one finding of their set (runner-pull-secret-missing)', () => {
    const { findings } = judged(pullSecrets, given([]))
    expect(findings.map(({ class: name, summary }) => `${name}: ${summary}`)).toEqual([
      'runner-pull-secret-missing: 2 runners wait for ghcr.io/acme/runner-nix:latest: ghcr.io refuses the pull, and ghcr-pull is not in arc-runners.',
    ])
  })
  it('have an invalid credential where their Secret has the registry', () => {
    expect(found(judged(pullSecrets, given([copy('arc-runners', 'good')])))).toEqual([
      'credential-invalid linux',
    ])
  })
})

describe('pull secrets before a cold node needs them', () => {
  const healthy = (secrets: readonly SecretFact[]) =>
    fleet({
      secrets,
      cluster: { pods: listed([podFact('linux-listener', objectFact('linux-listener', 'arc-systems'))]) },
    })

  it('are reported where the copies differ', () => {
    const { findings } = judged(
      pullSecrets,
      healthy([copy('arc-systems', 'old'), copy('arc-runners', 'good')]),
    )
    expect(findings).toMatchObject([{ class: 'controller-pull-secret-stale', severity: 'warning' }])
  })
  it('are not reported where they are equal, or made for different registries', () => {
    for (const own of [copy('arc-systems', 'good'), copy('arc-systems', 'old', ['docker.io'])]) {
      const judgement = judged(pullSecrets, healthy([own, copy('arc-runners', 'good')]))
      expect(judgement).toMatchObject({ findings: [], unjudged: [] })
    }
  })
  it('are compared in a table by hash, never by content', () => {
    const { tables } = judged(pullSecrets, healthy([copy('arc-systems', 'abcdefghijk')]))
    expect(tables[0]?.rows).toEqual([
      ['arc-systems/ghcr-pull', 'ghcr.io', 'abcdefgh', 'linux-listener'],
      ['arc-runners/ghcr-pull', 'missing', '', 'linux'],
    ])
  })
})

interface FleetGiven extends SnapshotGiven {
  readonly secrets?: readonly SecretFact[]
}

/** A listener on a cold node that cannot pull its image. */
function fleet({ secrets = [], ...given }: FleetGiven) {
  const template = templateFact({ imagePullSecrets: ['ghcr-pull'] })
  return snapshotOf({
    ...given,
    cluster: {
      scaleSets: listed([scaleSetFact('linux', { template })]),
      listeners: listed([listenerFact('linux', { imagePullSecrets: ['ghcr-pull'] })]),
      pods: listed([waitingPod('linux-listener', objectFact('linux-listener', 'arc-systems'))]),
      events: listed([pulled(refusal)]),
      secrets: listed(secrets),
      ...given.cluster,
    },
  })
}

function waitingPod(name: string, given: Partial<PodFact>, message: string | null = null): PodFact {
  const containers = given.containers ?? [containerFact({ image })]
  const state = waitingState('ImagePullBackOff', message)
  return podFact(name, {
    ...given,
    containers,
    imagePullSecrets: ['ghcr-pull'],
    phase: 'Pending',
    statuses: containers.map((container) => ({
      name: container.name,
      isReady: false,
      restarts: 0,
      imageId: null,
      state,
      lastState: null,
    })),
  })
}

function pulled(message: string): EventFact {
  const subject = { kind: 'Pod', name: 'linux-listener', uid: 'uid-arc-systems-linux-listener' }
  return {
    namespace: 'arc-systems',
    type: 'Warning',
    reason: 'Failed',
    message,
    subject,
    count: 3,
    firstAt: null,
    lastAt: null,
  }
}

function copy(namespace: string, hash: string, registries: readonly string[] = ['ghcr.io']): SecretFact {
  const type = 'kubernetes.io/dockerconfigjson'
  return secretFact(
    'ghcr-pull',
    { '.dockerconfigjson': hash },
    { ...objectFact('ghcr-pull', namespace), type, registries },
  )
}
