import { describe, expect, it } from 'vitest'
import type { ContainerStateFact, PodFact } from '../../snapshot/index.ts'
import { podFact, readAt, waitingState } from '../../snapshot/testing/facts.ts'
import type { ProbeKind } from './facts.ts'
import { judgeProbe } from './judge-probe.ts'

const lane = { namespace: 'arc-runners', name: 'linux', uid: 'u', generation: 1 }

function judged(
  asks: ProbeKind,
  state: ContainerStateFact | null,
  given: Partial<PodFact> = {},
  now = readAt,
) {
  const name = `holdfast-probe-${asks}`
  const status = { name: 'probe', isReady: false, restarts: 0, imageId: 'sha256:1', state, lastState: null }
  const pod = podFact(name, {
    createdAt: readAt,
    owner: null,
    node: 'node-1',
    labels: { 'holdfast.dev/probe': asks },
    annotations: { 'holdfast.dev/probe-id': 'a1', 'holdfast.dev/probe-deadline-seconds': '60' },
    imagePullSecrets: ['ghcr-pull'],
    statuses: state === null ? [] : [status],
    ...given,
  })
  return judgeProbe(
    {
      ...{ kind: 'Pod', asks, namespace: 'arc-runners', name, uid: 'absent', resourceVersion: 'absent' },
      ...{ probeId: 'a1', scaleSet: lane, image: 'i', imagePullSecrets: [], env: [], node: null },
      ...{ registry: 'npm.example.com', deadlineSeconds: 60, why: '', evidence: [] },
    },
    pod,
    now,
  )
}

function reported(...lines: readonly string[]): ContainerStateFact {
  const none = { signal: null, startedAt: null, finishedAt: null }
  return { kind: 'terminated', reason: 'Completed', message: lines.join('\n'), exitCode: 0, ...none }
}

function waits(reason: string, message: string): ContainerStateFact {
  return { ...(waitingState(reason) as ContainerStateFact), message }
}

describe('the Nix cache, as a lane sees it', () => {
  it.each([
    [['server=status:200', 'cache=status:200', 'cache-info=yes'], 'reachable', null],
    [['server=status:404', 'cache=status:200', 'cache-info=yes'], 'reachable', null],
    [['server=unset'], 'server-unset', 'server-unset'],
    [['server=fail:connect', 'cache=fail:connect'], 'service-unreachable', 'service-unreachable'],
    [['server=fail:timeout'], 'service-unreachable', 'service-unreachable'],
    [['server=status:503', 'cache=status:503'], 'service-unreachable', 'service-unreachable'],
    [['server=fail:resolve'], 'stale-endpoint', 'stale-endpoint'],
    [['server=status:200', 'cache=status:200', 'cache-info=no'], 'stale-endpoint', 'stale-endpoint'],
    [['server=status:200', 'cache=status:404'], 'cache-name-mismatch', 'cache-name-mismatch'],
    [['server=status:200', 'cache=status:401'], 'unknown', null],
    [['server=status:200', 'cache=unset'], 'unknown', null],
    [['server=fail:tls'], 'unknown', null],
    [['server=no-tool'], 'unknown', null],
    [[], 'unknown', null],
  ])('%j is %s', (lines, outcome, name) => {
    const verdict = judged('nix-cache', reported(...lines))
    expect([verdict?.outcome, verdict?.class]).toEqual([outcome, name])
    expect(verdict?.confidence).toBe(outcome === 'unknown' ? 'unknown' : 'likely')
    expect(verdict?.isGood).toBe(outcome === 'reachable')
  })
})

describe('the trust of an image', () => {
  const unset = ['SSL_CERT_FILE=unset', 'NIX_SSL_CERT_FILE=unset', 'NODE_EXTRA_CA_CERTS=unset']
  const set = ['SSL_CERT_FILE=present', ...unset.slice(1)]
  it.each([
    [[...set, 'tool=node', 'trust=yes'], 'trusted'],
    [[...unset, 'tool=node', 'trust=yes'], 'trusted'],
    [['SSL_CERT_FILE=missing', ...unset.slice(1), 'tool=none'], 'build-ca-missing'],
    [['SSL_CERT_FILE=empty', ...unset.slice(1), 'tool=node', 'trust=yes'], 'build-ca-missing'],
    [[...unset, 'tool=node', 'trust=no UNABLE_TO_GET_ISSUER_CERT_LOCALLY'], 'build-ca-missing'],
    [[...set, 'tool=openssl', 'trust=no verify code 20'], 'runtime-trust-store-broken'],
    [['SSL_CERT_FILE=not-mounted', ...unset.slice(1), 'tool=node', 'trust=yes'], 'unknown'],
    [[...set, 'tool=none'], 'unknown'],
    [[...set, 'tool=curl', 'trust=error curl exit 7'], 'unknown'],
    [[...set, 'tool=node'], 'unknown'],
    [['tool=node', 'trust=yes'], 'unknown'],
  ])('%j is %s', (lines, outcome) => {
    const verdict = judged('npm-tls', reported(...lines))
    expect([verdict?.outcome, verdict?.isGood]).toEqual([outcome, outcome === 'trusted'])
  })
})

describe('a pull', () => {
  const words = 'failed to pull and unpack image "ghcr.io/a/b:1": '
  it.each([
    ['ErrImagePull', `${words}unexpected status: 401 Unauthorized`, 'refused', 'credential-invalid'],
    ['ImagePullBackOff', `Back-off pulling image: ${words}403 Forbidden`, 'refused', 'credential-invalid'],
    ['ErrImagePull', `${words}ghcr.io/a/b:1: not found`, 'not-found', null],
    ['ImagePullBackOff', `${words}dial tcp: i/o timeout`, 'unknown', null],
    ['InvalidImageName', 'couldn’t parse image name', 'unknown', null],
  ])('that waits in %s with "%s" is %s', (reason, message, outcome, name) => {
    const verdict = judged('image-pull', waits(reason, message))
    expect([verdict?.outcome, verdict?.class, verdict?.isGood]).toEqual([outcome, name, false])
  })

  it('that is refused without any pull secret lacks one', () => {
    const verdict = judged('image-pull', waits('ErrImagePull', '401 Unauthorized'), { imagePullSecrets: [] })
    expect(verdict?.class).toBe('runner-pull-secret-missing')
  })
  it('that failed once for another reason is tried again by the kubelet first', () => {
    expect(judged('image-pull', waits('ErrImagePull', 'dial tcp: i/o timeout'))).toBeNull()
    expect(judged('image-pull', waits('ContainerCreating', ''))).toBeNull()
  })
  it('is proven where the container came past it, also if its command is not in the image', () => {
    expect(judged('image-pull', reported())).toMatchObject({
      outcome: 'pulled',
      confidence: 'proven',
      isGood: true,
    })
    const missing = { ...reported('no such file'), reason: 'StartError', exitCode: 128 }
    expect(judged('image-pull', missing)?.outcome).toBe('pulled')
  })
  it('that fails is the answer of every other probe as well', () => {
    expect(judged('nix-cache', waits('ErrImagePull', '401 Unauthorized'))?.outcome).toBe('refused')
  })
})

describe('a pod without an answer', () => {
  it('is waited for until its deadline, and unknown after it', () => {
    const running = waits('ContainerCreating', '')
    expect(judged('nix-cache', running, {}, readAt + 60_000)).toBeNull()
    expect(judged('nix-cache', running, {}, readAt + 75_000)?.outcome).toBe('unknown')
    expect(judged('nix-cache', null, { reason: 'DeadlineExceeded' })?.outcome).toBe('unknown')
  })
  it('says why no node took it', () => {
    const unplaced = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message: '0/1 nodes',
      at: null,
    }
    const verdict = judged('nix-cache', null, { conditions: [unplaced], phase: 'Pending' }, readAt + 80_000)
    expect(verdict?.summary).toContain('0/1 nodes')
  })
  it('whose Secret is missing says so by the kubelet’s word', () => {
    const verdict = judged('nix-cache', waits('CreateContainerConfigError', 'secret "attic" not found'))
    expect(verdict).toMatchObject({
      outcome: 'secret-missing',
      class: 'secret-missing',
      confidence: 'proven',
    })
  })
  it('that another pod took the place of, or that somebody removes, is unknown', () => {
    expect(judged('nix-cache', reported('server=unset'), { deletedAt: readAt })?.outcome).toBe('unknown')
    const other = { 'holdfast.dev/probe-id': 'b2', 'holdfast.dev/probe-deadline-seconds': '60' }
    expect(judged('nix-cache', reported('server=unset'), { annotations: other })?.outcome).toBe('unknown')
  })
  it('whose image has no shell is unknown, in the runtime’s words', () => {
    const state = { ...reported('exec: "/bin/sh": no such file'), reason: 'StartError', exitCode: 128 }
    expect(judged('npm-tls', state)).toMatchObject({ outcome: 'unknown' })
    expect(judged('npm-tls', state)?.summary).toContain('/bin/sh')
  })
})
