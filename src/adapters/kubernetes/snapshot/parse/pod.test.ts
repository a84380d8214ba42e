import { describe, expect, it } from 'vitest'
import { cursorOf } from './cursor.ts'
import { createMask } from './mask.ts'
import { parseAll } from './parse-all.ts'
import { parsePod } from './pod.ts'

const parsed = (pod: unknown) => parsePod(cursorOf(pod, createMask()))
// Joined at run time, so that no scanner takes it for a real one.
const token = `ghp_${'a1B2c3D4e5F6g7H8'.repeat(2)}a1B2`

function pod(spec: object = {}, status: object = {}, metadata: object = {}) {
  return {
    metadata: { name: 'web-1', namespace: 'ci', uid: 'u-1', resourceVersion: '1', ...metadata },
    spec: { containers: [{ name: 'runner', image: 'runner:1' }], ...spec },
    status: { phase: 'Running', ...status },
  }
}

describe('a pod', () => {
  it('has all states of all its containers, those of init containers first', () => {
    const { statuses, containers } = parsed(
      pod(
        { initContainers: [{ name: 'dind', image: 'docker:27', restartPolicy: 'Always' }] },
        {
          initContainerStatuses: [{ name: 'dind', ready: true, state: { running: {} }, lastState: {} }],
          containerStatuses: [
            {
              name: 'runner',
              restartCount: 2,
              state: { waiting: { reason: 'ImagePullBackOff', message: `denied: Bearer ${token}` } },
              lastState: {
                terminated: { exitCode: 137, reason: 'OOMKilled', finishedAt: '2026-06-01T02:00:00Z' },
              },
            },
          ],
        },
      ),
    )
    expect(containers).toMatchObject([
      { name: 'dind', isInit: true, isSidecar: true },
      { name: 'runner', isInit: false, isSidecar: false },
    ])
    expect(statuses).toMatchObject([
      { name: 'dind', isReady: true, state: { kind: 'running' }, lastState: null },
      {
        name: 'runner',
        isReady: false,
        restarts: 2,
        state: { kind: 'waiting', reason: 'ImagePullBackOff', exitCode: null },
        lastState: { kind: 'terminated', exitCode: 137, finishedAt: Date.UTC(2026, 5, 1, 2) },
      },
    ])
    expect(JSON.stringify(statuses)).not.toContain(token)
  })

  it('that ended well has exit code 0, which the API leaves out in places', () => {
    const status = { containerStatuses: [{ name: 'runner', state: { terminated: { reason: 'Completed' } } }] }
    expect(parsed(pod({}, status)).statuses[0]?.state?.exitCode).toBe(0)
  })

  it('asks for its limits where it asks for nothing else', () => {
    const resources = { limits: { cpu: '2', memory: '4Gi' }, requests: { cpu: '500m' } }
    const { containers } = parsed(pod({ containers: [{ name: 'runner', image: 'i', resources }] }))
    expect(containers[0]).toMatchObject({
      requests: { cpu: 0.5, memory: 4 * 2 ** 30 },
      limits: { cpu: 2, memory: 4 * 2 ** 30 },
    })
  })

  it('keeps the values of variables that audits judge, and of no others', () => {
    const env = [
      { name: 'ATTIC_SERVER', value: 'http://attic.nix-cache:8080' },
      { name: 'NOTE', value: 'swordfish' },
      { name: 'ATTIC_TOKEN', valueFrom: { secretKeyRef: { name: 'attic', key: 'token' } } },
      { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'SSL_CERT_FILE', value: `https://ci:${token}@host/ca` },
    ]
    const envFrom = [{ prefix: 'X_', secretRef: { name: 'all' } }, { configMapRef: { name: 'settings' } }]
    const fact = parsed(pod({ containers: [{ name: 'runner', image: 'i', env, envFrom }] }))
    expect(fact.containers[0]?.env).toEqual([
      { name: 'X_*', value: null, from: 'secret', ref: 'all' },
      { name: '*', value: null, from: 'config-map', ref: 'settings' },
      { name: 'ATTIC_SERVER', value: 'http://attic.nix-cache:8080', from: 'value', ref: null },
      { name: 'NOTE', value: null, from: 'value', ref: null },
      { name: 'ATTIC_TOKEN', value: null, from: 'secret', ref: 'attic' },
      { name: 'POD', value: null, from: 'field', ref: null },
      { name: 'SSL_CERT_FILE', value: expect.not.stringContaining(token), from: 'value', ref: null },
    ])
    expect(JSON.stringify(fact)).not.toContain('swordfish')
  })

  it('has its volumes with their claims, classes, sizes and mounts', () => {
    const claim = { storageClassName: 'fast', resources: { requests: { storage: '50Gi' } } }
    const { volumes } = parsed(
      pod({
        containers: [{ name: 'runner', image: 'i', volumeMounts: [{ name: 'work', mountPath: '/work' }] }],
        volumes: [
          { name: 'work', ephemeral: { volumeClaimTemplate: { spec: claim } } },
          { name: 'cache', persistentVolumeClaim: { claimName: 'shared' } },
          { name: 'tmp', emptyDir: { sizeLimit: '1Gi' } },
          { name: 'dev', hostPath: { path: '/dev/kvm' } },
          { name: 'token', secret: { secretName: 's' } },
        ],
      }),
    )
    expect(volumes).toMatchObject([
      {
        kind: 'ephemeral-claim',
        claim: 'web-1-work',
        storageClass: 'fast',
        sizeBytes: 50 * 2 ** 30,
        mountPaths: ['/work'],
      },
      { kind: 'claim', claim: 'shared' },
      { kind: 'empty-dir', sizeBytes: 2 ** 30, mountPaths: [] },
      { kind: 'host-path' },
      { kind: 'other' },
    ])
  })

  it('has the terms of its required node affinity, and null without one', () => {
    const terms = [
      {
        matchExpressions: [{ key: 'gpu', operator: 'Exists' }],
        matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }],
      },
    ]
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } }
    expect(parsed(pod({ affinity: { nodeAffinity } })).nodeAffinity).toEqual([
      [
        { key: 'gpu', operator: 'Exists', values: [] },
        { key: 'metadata.name', operator: 'In', values: ['node-1'] },
      ],
    ])
    expect(parsed(pod({ affinity: { podAffinity: {} } })).nodeAffinity).toBeNull()
  })

  it('reads the required rules about other pods, and leaves preferences out', () => {
    const required = (terms: readonly unknown[]) => ({
      requiredDuringSchedulingIgnoredDuringExecution: terms,
    })
    const topologyKey = 'kubernetes.io/hostname'
    const antiTerm = {
      topologyKey,
      namespaces: ['web'],
      labelSelector: {
        matchLabels: { app: 'x' },
        matchExpressions: [{ key: 'tier', operator: 'Exists' }],
      },
    }
    const spread = (whenUnsatisfiable: string, key: string) => ({
      whenUnsatisfiable,
      topologyKey: key,
      maxSkew: 1,
    })
    const fact = parsed(
      pod({
        affinity: {
          podAffinity: required([
            { topologyKey, labelSelector: {}, namespaceSelector: {} },
            { topologyKey, namespaceSelector: { matchLabels: { team: 'a' } } },
          ]),
          podAntiAffinity: {
            ...required([antiTerm]),
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: antiTerm }],
          },
        },
        topologySpreadConstraints: [spread('DoNotSchedule', 'zone'), spread('ScheduleAnyway', 'rack')],
      }),
    )
    expect(fact.podRules).toEqual({
      affinity: [
        { topologyKey, selector: [], namespaces: null, isWhole: true },
        { topologyKey, selector: null, namespaces: [], isWhole: false },
      ],
      antiAffinity: [
        {
          topologyKey,
          selector: [
            { key: 'app', operator: 'In', values: ['x'] },
            { key: 'tier', operator: 'Exists', values: [] },
          ],
          namespaces: ['web'],
          isWhole: true,
        },
      ],
      spread: ['zone'],
    })
    expect(parsed(pod({})).podRules).toEqual({ affinity: [], antiAffinity: [], spread: [] })
  })

  it('keeps masked labels, and of the annotations only those of runners and images', () => {
    const fact = parsed(
      pod(
        {},
        {},
        {
          labels: { app: 'web', note: token },
          annotations: {
            'actions.github.com/patch-id': '1',
            'org.opencontainers.image.revision': 'af8204b1',
            'kubectl.kubernetes.io/last-applied-configuration': '{"data":"swordfish"}',
          },
        },
      ),
    )
    expect(fact.labels).toEqual({ app: 'web', note: '[redacted]' })
    expect(fact.annotations).toEqual({
      'actions.github.com/patch-id': '1',
      'org.opencontainers.image.revision': 'af8204b1',
    })
  })
})

describe('pods of which some are not pods', () => {
  it('are read without them, and each is named as unread without its values', () => {
    const { items, unread } = parseAll(
      [
        pod(),
        null,
        'pod',
        { metadata: { name: 'bad', namespace: 'ci', uid: 'u', resourceVersion: '1' }, spec: token },
        pod({ containers: token }),
        pod({ tolerations: Array.from({ length: 100_000 }, () => ({})) }),
        pod({ containers: [{ name: 'runner', resources: { limits: { cpu: 'much' } } }] }),
      ],
      parsePod,
      'pods',
    )
    expect(items).toHaveLength(1)
    expect(unread.map(({ what, why }) => `${what}: ${why}`)).toEqual([
      'pods: an object without a name: it is absent, expected an object',
      'pods: an object without a name: it is other text, expected an object',
      'pods: ci/bad: spec is other text, expected an object',
      'pods: ci/web-1: spec.containers is other text, expected a list',
      'pods: ci/web-1: spec.tolerations has 100000 entries, at most 2000 are read',
      'pods: ci/web-1: spec.containers[0].resources.limits is an object, expected a map of quantities',
    ])
  })
})
