import { pollerImage } from '../images/index.ts'

/** Fields of a runner's pod that a test chooses; Holdfast's own code makes the rest. */
export interface RunnerPodWords {
  readonly name: string
  readonly url: string
  readonly image: string
  readonly command: readonly string[]
  /** In place of what asks for a job. */
  readonly poller?: object
  /** One container that polls and runs. */
  readonly isSingle?: boolean
  /** Whether the runner may not change what the poller staged. */
  readonly isReadOnly?: boolean
}

const user = 1001
const jit = { name: 'jit', mountPath: '/holdfast/jit' }
const token = { name: 'token', mountPath: '/var/run/holdfast/token', readOnly: true }
const security = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } }
const tokenWords = { audience: 'holdfast', expirationSeconds: 600, path: 'token' }

/** A pod in which a poller asks and a runner without any credential runs, or one container that does both. */
export function runnerPod(words: RunnerPodWords): object {
  const { name, image, command, isSingle = false } = words
  const env = environment(words)
  const poller = {
    name: 'poller',
    image: pollerImage,
    command: ['sh', '/holdfast/poller.sh'],
    env,
    securityContext: { ...security, readOnlyRootFilesystem: true },
    volumeMounts: [jit, token],
    ...words.poller,
  }
  const runner = {
    name: 'runner',
    image,
    workingDir: '/tmp',
    securityContext: security,
    ...(isSingle
      ? { env, command: ['sh', '/holdfast/poller.sh', '--then', ...command], volumeMounts: [jit, token] }
      : {
          command: ['sh', '/holdfast/jit/run', ...command],
          volumeMounts: [{ ...jit, readOnly: words.isReadOnly ?? false }],
        }),
  }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 30,
      securityContext: { runAsUser: user, runAsGroup: user, runAsNonRoot: true, fsGroup: user },
      initContainers: isSingle ? [] : [poller],
      containers: [runner],
      volumes: [
        { name: 'jit', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
        { name: 'token', projected: { sources: [{ serviceAccountToken: tokenWords }] } },
      ],
    },
  }
}

function environment({ url, image }: RunnerPodWords): object[] {
  const field = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } })
  return [
    { name: 'HOLDFAST_URL', value: url },
    { name: 'HOLDFAST_POOL', value: 'linux' },
    field('HOLDFAST_RUNNER', 'metadata.name'),
    field('HOLDFAST_POD_UID', 'metadata.uid'),
    field('HOLDFAST_NODE', 'spec.nodeName'),
    { name: 'HOLDFAST_IMAGE', value: image },
    { name: 'HOLDFAST_TOKEN_FILE', value: '/var/run/holdfast/token/token' },
    { name: 'HOLDFAST_JIT_DIR', value: '/holdfast/jit' },
  ]
}
