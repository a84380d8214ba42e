import fc from 'fast-check'

type Part = Readonly<Record<string, unknown>>

const sidecar = { name: 'helper', image: 'helper:1', restartPolicy: 'Always' }
const volume = (name: string, source: Part): Part => ({ volumes: [{ name, ...source }] })
const ofRunner = (part: Part): Part => ({ containers: [{ name: 'runner', ...part }] })
const ofPoller = (part: Part): Part => ({ initContainers: [{ name: 'poller', ...part }] })
const required = (terms: readonly Part[]): Part => ({
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
  },
})
const token = (part: Part): Part => ({
  projected: { sources: [{ serviceAccountToken: { path: 't', ...part } }] },
})

/** Parts of a pod's spec that people write, and that the API server takes. */
export const harmless: readonly Part[] = [
  { nodeSelector: { disk: 'fast' } },
  { tolerations: [{ key: 'ci', operator: 'Exists', effect: 'NoSchedule' }] },
  { priorityClassName: '' },
  { hostAliases: [{ ip: '10.0.0.1', hostnames: ['git'] }] },
  { imagePullSecrets: [{ name: 'registry' }] },
  { dnsConfig: { options: [{ name: 'ndots', value: '1' }] } },
  { initContainers: [sidecar] },
  { initContainers: [{ name: 'prepare', image: 'prepare:1', command: ['true'] }] },
  {
    ...volume('cache', { emptyDir: { sizeLimit: '1Gi' } }),
    ...ofRunner({ volumeMounts: [{ name: 'cache', mountPath: '/cache' }] }),
  },
  volume('api', token({ audience: 'https://kubernetes.default.svc' })),
  ofRunner({ env: [{ name: 'LANG', value: 'C.UTF-8' }] }),
  ofRunner({
    envFrom: [{ configMapRef: { name: 'settings', optional: true } }],
    workingDir: '/home/runner',
    imagePullPolicy: 'IfNotPresent',
    readinessProbe: { exec: { command: ['true'] } },
    lifecycle: { postStart: { exec: { command: ['true'] } } },
  }),
  ofRunner({ resources: { limits: { cpu: '4' } } }),
  ofRunner({ securityContext: { allowPrivilegeEscalation: true, capabilities: { $patch: 'delete' } } }),
  ofRunner({ securityContext: { runAsUser: 1500 } }),
  ofRunner({ ports: [{ containerPort: 80, protocol: 'TCP' }] }),
  ofRunner({ securityContext: { runAsUser: 0, runAsNonRoot: false } }),
  { securityContext: { runAsUser: 2000, runAsGroup: 2000, fsGroup: 2001 } },
  { securityContext: { fsGroup: null, supplementalGroups: [7] } },
  ofPoller({ env: [{ name: 'HTTPS_PROXY', value: 'http://proxy:3128' }] }),
  ofPoller({ resources: { limits: { memory: '96Mi' } } }),
  required([{ matchExpressions: [{ key: 'arch', operator: 'In', values: ['amd64'] }] }]),
  required([{ matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['old'] }] }, {}]),
  { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }] },
]

/** Parts that break a promise, alone or with another. */
export const hostile: readonly Part[] = [
  { restartPolicy: 'Always' },
  { restartPolicy: null },
  { automountServiceAccountToken: true },
  { enableServiceLinks: null },
  { hostPID: true },
  { hostNetwork: true },
  volume('kvm', { hostPath: { path: '/dev/kvm' } }),
  ofRunner({ securityContext: { capabilities: { add: ['SYS_ADMIN'] } } }),
  { serviceAccountName: 'deployer' },
  { shareProcessNamespace: true },
  { activeDeadlineSeconds: 60 },
  { nodeName: 'node-1' },
  { terminationGracePeriodSeconds: 0 },
  { $patch: 'replace', containers: [{ name: 'runner', image: 'x' }] },
  { $patch: 'delete' },
  { containers: null },
  { containers: [{ name: 'runner', $patch: 'delete' }] },
  { containers: [{ $patch: 'replace' }, { name: 'runner', image: 'mine' }] },
  { containers: [{ name: 'another', image: 'x' }] },
  { initContainers: [{ name: 'poller', $patch: 'delete' }] },
  { initContainers: [{ $patch: 'replace' }] },
  { initContainers: [{ name: 'check', image: 'mine' }] },
  { initContainers: [{ name: 'check', $patch: 'delete' }] },
  {
    initContainers: [{ name: 'check', volumeMounts: [{ name: 'holdfast-jit', mountPath: '/j' }] }],
  },
  { initContainers: [{ name: 'runner', volumeMounts: [{ name: 'holdfast-token', mountPath: '/t' }] }] },
  { initContainers: [{ ...sidecar, volumeMounts: [{ name: 'holdfast-jit', mountPath: '/j' }] }] },
  {
    initContainers: [
      { ...sidecar, volumeMounts: [{ name: 'holdfast-token', mountPath: '/t', subPath: 'token' }] },
    ],
  },
  ofRunner({ volumeMounts: [{ name: 'holdfast-token', mountPath: '/t' }] }),
  ofRunner({ volumeMounts: [{ name: 'cache', mountPath: '/holdfast/jit' }] }),
  ofRunner({ volumeMounts: null }),
  ofRunner({ image: 'another' }),
  ofRunner({ command: ['sleep', '1'] }),
  ofRunner({ livenessProbe: { exec: { command: ['true'] } } }),
  ofRunner({ env: [{ name: 'HOLDFAST_JIT_FILE', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
  ofRunner({ env: [{ $patch: 'replace' }] }),
  ofRunner({ securityContext: { runAsUser: 0 } }),
  ofPoller({ image: 'mine' }),
  ofPoller({ command: ['sh', '-c', 'cat /var/run/holdfast/token/token'] }),
  ofPoller({ args: ['x'] }),
  ofPoller({ restartPolicy: 'Always' }),
  ofPoller({ securityContext: { privileged: true } }),
  ofPoller({ securityContext: null }),
  ofPoller({ env: [{ name: 'HOLDFAST_URL', value: 'http://elsewhere' }] }),
  ofPoller({ env: [{ name: 'LD_PRELOAD', value: '/mnt/x.so' }] }),
  ofPoller({ env: null }),
  ofPoller({ volumeMounts: [{ name: 'cache', mountPath: '/holdfast' }] }),
  ofPoller({ lifecycle: { postStart: { exec: { command: ['true'] } } } }),
  { securityContext: { runAsUser: null } },
  { securityContext: null },
  { securityContext: { $patch: 'replace' } },
  { volumes: null },
  { volumes: [{ $patch: 'replace' }] },
  volume('holdfast-token', { emptyDir: {} }),
  volume('holdfast-token', { $patch: 'delete' }),
  volume('holdfast-jit', { emptyDir: { medium: '' } }),
  volume('holdfast-jit', { hostPath: { path: '/tmp' } }),
  volume('mine', token({ audience: 'holdfast' })),
  volume('mine', token({})),
  volume('mine', { hostPath: { path: '/' } }),
  volume('mine', { hostPath: { path: '/var/lib/kubelet/pods' } }),
  volume('mine', { hostPath: { path: '//var/./lib//kubelet/' } }),
  volume('mine', { hostPath: { path: '/var/run/docker.sock' } }),
  volume('mine', { hostPath: { path: '/run' } }),
  { ephemeralContainers: [{ name: 'x', image: 'x' }] },
  { '$setElementOrder/containers': [{ name: 'runner' }] },
  { containers: { name: 'runner' } },
  { containers: 'runner' },
  { affinity: [] },
]

export const metadata: readonly Part[] = [
  {},
  { labels: { team: 'build' }, annotations: { note: 'x' } },
  { labels: { 'holdfast.dev/pool': 'another' } },
  { labels: { 'app.kubernetes.io/managed-by': 'me' } },
  { labels: null },
  { labels: { $patch: 'replace' } },
  { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true' } },
  { annotations: { 'holdfast.dev/host': 'x' } },
  { name: 'mine' },
  { finalizers: [] },
  { finalizers: null },
  { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'y' }] },
  { $patch: 'delete' },
]

/** Several parts in one template: lists one after the other, else the later one. */
export function joined(parts: readonly Part[]): Part {
  const together: Record<string, unknown> = {}
  for (const part of parts) {
    for (const [field, value] of Object.entries(part)) {
      const before = together[field]
      together[field] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value
    }
  }
  return together
}

const anything = fc.jsonValue({ maxDepth: 3 })
const somewhere = fc
  .tuple(
    fc.constantFrom(
      'containers',
      'initContainers',
      'volumes',
      'securityContext',
      'affinity',
      'restartPolicy',
      'os',
    ),
    fc.oneof(anything, fc.array(fc.record({ name: fc.constantFrom('runner', 'poller', 'holdfast-token') }))),
  )
  .map(([field, value]): Part => ({ [field]: value }))

/** Templates that somebody might write, by mistake or on purpose. */
export const templates: fc.Arbitrary<Part> = fc.oneof(
  fc.record({
    metadata: fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, fc.constantFrom(...metadata)),
    spec: fc
      .array(
        fc.oneof(
          { weight: 6, arbitrary: fc.constantFrom(...harmless) },
          { weight: 1, arbitrary: fc.constantFrom(...hostile) },
          { weight: 1, arbitrary: somewhere },
        ),
        { maxLength: 4 },
      )
      .map(joined),
  }),
  fc.dictionary(fc.string({ maxLength: 8 }), anything),
)
