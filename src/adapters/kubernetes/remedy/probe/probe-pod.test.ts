import { describe, expect, it } from 'vitest'
import type { ProbeOrder } from '../../../../ports/probes.ts'
import type { WholeObject } from '../../client/index.ts'
import { probePod } from './probe-pod.ts'

const place = { namespace: 'arc-runners', name: 'holdfast-probe-nix-cache' }
const order: ProbeOrder = {
  ...{ kind: 'nix-cache', probeId: 'a1', node: null, registry: null, deadlineSeconds: 60 },
  lane: { namespace: 'arc-runners', name: 'linux', uid: 'u', generation: 1 },
}

// biome-ignore lint/suspicious/noExplicitAny: a pod's spec, as tests read it
type Json = any

function podOf(spec: object, runner: object, given: Partial<ProbeOrder> = {}): Json {
  const containers = [
    { name: 'dind', image: 'docker:dind' },
    { name: 'runner', image: 'acme/runner:1', ...runner },
  ]
  const metadata = { name: 'linux', uid: 'u', resourceVersion: '1' }
  const set = { metadata, spec: { template: { spec: { containers, ...spec } } } } as WholeObject
  return probePod(set, { ...order, ...given }, place)
}

describe('the pod of a probe', () => {
  it('has the place and the image of the lane’s runner, a deadline, and is never started again', () => {
    const lane = {
      nodeSelector: { pool: 'ci' },
      tolerations: [{ key: 'ci', operator: 'Exists' }],
      imagePullSecrets: [{ name: 'ghcr-pull' }],
      serviceAccountName: 'runners',
      dnsPolicy: 'None',
      dnsConfig: { nameservers: ['10.0.0.10'] },
    }
    const { spec } = podOf(lane, {})
    expect(spec).toMatchObject(lane)
    expect(spec).toMatchObject({ restartPolicy: 'Never', activeDeadlineSeconds: 60 })
    expect(spec.containers.map(({ image }: Json) => image)).toEqual(['acme/runner:1'])
  })

  it('keeps Pod Security restricted, whatever the lane has: no token, no privilege, no host, nothing written', () => {
    const { spec } = podOf(
      {
        hostNetwork: true,
        hostPID: true,
        priorityClassName: 'urgent',
        securityContext: { runAsUser: 0 },
        volumes: [{ name: 'host', hostPath: { path: '/' } }],
      },
      { securityContext: { privileged: true }, volumeMounts: [{ name: 'host', mountPath: '/host' }] },
    )
    expect(Object.keys(spec)).not.toEqual(expect.arrayContaining(['hostNetwork']))
    expect([spec.hostNetwork, spec.hostPID, spec.priorityClassName]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(spec.automountServiceAccountToken).toBe(false)
    expect([spec.volumes, spec.containers[0].volumeMounts]).toEqual([[], []])
    expect(spec.securityContext).toEqual({
      ...{ runAsNonRoot: true, runAsUser: 65_534, runAsGroup: 65_534 },
      seccompProfile: { type: 'RuntimeDefault' },
    })
    expect(spec.containers[0].securityContext).toEqual({
      ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
      capabilities: { drop: ['ALL'] },
    })
    expect(Object.keys(spec.containers[0].resources.limits)).toEqual(['cpu', 'memory', 'ephemeral-storage'])
  })

  it('has the lane’s own user where that is not root', () => {
    expect(podOf({ securityContext: { runAsUser: 1001 } }, {}).spec.securityContext.runAsUser).toBe(1001)
  })

  it('gets the variables that it needs and no other, by reference where they are references', () => {
    const secret = { valueFrom: { secretKeyRef: { name: 'attic', key: 'cache' } } }
    const { spec } = podOf(
      {},
      {
        env: [
          { name: 'ZONE', value: 'eu' },
          { name: 'ATTIC_SERVER', value: 'http://cache.$(ZONE)' },
          { name: 'ATTIC_CACHE', ...secret },
          { name: 'ATTIC_TOKEN', value: 'planted' },
          { name: 'ACTIONS_RUNNER_INPUT_JITCONFIG', value: 'planted' },
        ],
      },
    )
    expect(spec.containers[0].env).toEqual([
      { name: 'ZONE', value: 'eu' },
      { name: 'ATTIC_SERVER', value: 'http://cache.$(ZONE)' },
      { name: 'ATTIC_CACHE', ...secret },
    ])
  })

  it('gets of a whole source only the keys of those names, and none that must be there', () => {
    const { spec } = podOf(
      {},
      { envFrom: [{ secretRef: { name: 'attic' } }, { prefix: 'ATTIC_', configMapRef: { name: 'c' } }] },
    )
    const env = spec.containers[0].env as Json[]
    expect(env).toContainEqual({
      name: 'ATTIC_SERVER',
      valueFrom: { secretKeyRef: { name: 'attic', key: 'ATTIC_SERVER', optional: true } },
    })
    expect(env.at(-1)).toEqual({
      name: 'ATTIC_CACHE',
      valueFrom: { configMapKeyRef: { name: 'c', key: 'CACHE', optional: true } },
    })
    expect(JSON.stringify(env)).not.toContain('TOKEN')
    expect(spec.containers[0].envFrom).toBeUndefined()
  })

  it('mounts ConfigMaps, and a Secret only where a variable points into it', () => {
    const { spec } = podOf(
      {
        volumes: [
          { name: 'ca', configMap: { name: 'ca' } },
          { name: 'tls', secret: { secretName: 'tls' } },
          { name: 'key', secret: { secretName: 'key' } },
          { name: 'work', emptyDir: {} },
        ],
      },
      {
        env: [{ name: 'SSL_CERT_FILE', value: '/etc/tls/ca.crt' }],
        volumeMounts: [
          { name: 'ca', mountPath: '/etc/ca' },
          { name: 'tls', mountPath: '/etc/tls' },
          { name: 'key', mountPath: '/etc/tls-key' },
          { name: 'work', mountPath: '/work' },
        ],
      },
      { kind: 'npm-tls', registry: 'npm.example.com:8443' },
    )
    expect(spec.volumes.map(({ name }: Json) => name)).toEqual(['ca', 'tls'])
    expect(spec.containers[0].volumeMounts).toEqual([
      { name: 'ca', mountPath: '/etc/ca', readOnly: true },
      { name: 'tls', mountPath: '/etc/tls', readOnly: true },
    ])
    expect(spec.containers[0].env.slice(1)).toEqual([
      { name: 'HOLDFAST_PROBE_HOST', value: 'npm.example.com' },
      { name: 'HOLDFAST_PROBE_PORT', value: '8443' },
      { name: 'HOLDFAST_PROBE_UNMOUNTED', value: '/etc/tls-key\n/work' },
    ])
  })

  it('that pulls asks the registry every time, on the node that was named, within the lane’s own rules', () => {
    const term = { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }
    const key = 'requiredDuringSchedulingIgnoredDuringExecution'
    const affinity = { nodeAffinity: { [key]: { nodeSelectorTerms: [term] } } }
    const { spec } = podOf(
      { affinity },
      { env: [{ name: 'A', value: 'b' }] },
      { kind: 'image-pull', node: 'n-1' },
    )
    expect(spec.containers[0]).toMatchObject({ imagePullPolicy: 'Always', env: [], command: ['/bin/true'] })
    const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['n-1'] }]
    expect(spec.affinity.nodeAffinity[key].nodeSelectorTerms).toEqual([{ ...term, matchFields }])
    expect(spec.nodeName).toBeUndefined()
  })

  it('has nothing of cluster or user in the text of its script', () => {
    const hostile = '$(touch /tmp/x)`id`;"\''
    const pods = (['nix-cache', 'npm-tls'] as const).map((kind) =>
      podOf({}, { env: [{ name: 'ATTIC_SERVER', value: hostile }] }, { kind, registry: 'evil.example.com' }),
    )
    for (const { spec } of pods) {
      expect(spec.containers[0].command.join('\n')).not.toContain('touch')
      expect(spec.containers[0].command.join('\n')).not.toContain('evil')
    }
  })
})
