import {
  probeDeadlineAnnotation,
  probeIdAnnotation,
  probeLabel,
  probeVariables,
} from '../../../../domain/remedy/index.ts'
import type { ObjectRef } from '../../../../domain/snapshot/index.ts'
import type { Manifest } from '../../../../ports/cluster.ts'
import type { ProbeOrder } from '../../../../ports/probes.ts'
import { type Fields, fields, list, text, type WholeObject } from '../../client/index.ts'
import { envOf } from './env.ts'
import { mountsOf } from './mounts.ts'
import { nixCacheScript, npmTlsScript } from './scripts.ts'

/** Small enough to fit anywhere, enough for one request of any tool. */
const resources = {
  requests: { cpu: '10m', memory: '32Mi' },
  limits: { cpu: '500m', memory: '256Mi', 'ephemeral-storage': '64Mi' },
}
/** Where the lane says no user: nobody, who owns no file. */
const nobody = 65_534
const npmPort = 443

/**
 * The pod of a probe: the lane's image, place and references, and nothing else of the lane. Pod Security `restricted` is kept
 * whatever the lane itself has; no token, no privilege, nothing written.
 */
export function probePod(set: WholeObject, order: ProbeOrder, { namespace, name }: ObjectRef): Manifest {
  const template = fields(fields(set.spec).template)
  const spec = fields(template.spec)
  const containers = list(spec.containers)
  const runner = containers.find((each) => each.name === 'runner') ?? containers[0] ?? {}
  const { volumes, volumeMounts, unmounted } = mountsOf(spec, runner, order.kind)
  return {
    metadata: {
      namespace,
      name,
      labels: { [probeLabel]: order.kind, 'app.kubernetes.io/managed-by': 'holdfast' },
      annotations: {
        [probeIdAnnotation]: order.probeId,
        [probeDeadlineAnnotation]: String(order.deadlineSeconds),
      },
    },
    spec: {
      ...placeOf(spec, order.node),
      restartPolicy: 'Never',
      activeDeadlineSeconds: order.deadlineSeconds,
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { ...userOf(spec, runner), seccompProfile: { type: 'RuntimeDefault' } },
      volumes,
      containers: [
        {
          name: 'probe',
          image: text(runner.image),
          imagePullPolicy:
            order.kind === 'image-pull' ? 'Always' : (runner.imagePullPolicy ?? 'IfNotPresent'),
          command: commandOf(order),
          env: [...envOf(runner, probeVariables[order.kind]), ...settingsOf(order, unmounted)],
          resources,
          volumeMounts,
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        },
      ],
    },
  }
}

/** Where the lane's runners may run and what they pull with; `node` narrows it, and the scheduler still decides. */
function placeOf(spec: Fields, node: string | null): object {
  const key = 'requiredDuringSchedulingIgnoredDuringExecution'
  const required = fields(fields(fields(spec.affinity).nodeAffinity)[key])
  const terms = list(required.nodeSelectorTerms)
  const field = { key: 'metadata.name', operator: 'In', values: [node] }
  const narrowed = (terms.length === 0 ? [{}] : terms).map((term: Fields) => ({
    ...term,
    matchFields: [...list(term.matchFields), field],
  }))
  const nodeSelectorTerms = node === null ? terms : narrowed
  return {
    ...picked(spec, ['nodeSelector', 'tolerations', 'imagePullSecrets', 'serviceAccountName']),
    ...picked(spec, ['runtimeClassName', 'hostAliases', 'dnsPolicy', 'dnsConfig']),
    ...(nodeSelectorTerms.length > 0 && { affinity: { nodeAffinity: { [key]: { nodeSelectorTerms } } } }),
  }
}

function picked(from: Fields, names: readonly string[]): object {
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])))
}

/** The lane's user, unless it is root: file rights are then those that a job meets. */
function userOf(spec: Fields, runner: Fields): object {
  const asked = fields(runner.securityContext).runAsUser ?? fields(spec.securityContext).runAsUser
  const runAsUser = typeof asked === 'number' && asked > 0 ? asked : nobody
  return { runAsNonRoot: true, runAsUser, runAsGroup: runAsUser }
}

/** Fixed text of ours. Its answer goes to the termination message, which the kubelet bounds, and which needs no right to logs. */
function commandOf({ kind }: ProbeOrder): readonly string[] {
  if (kind === 'image-pull') return ['/bin/true']
  const script = kind === 'nix-cache' ? nixCacheScript : npmTlsScript
  return ['/bin/sh', '-c', `exec >/dev/termination-log 2>/dev/null\n${script}`]
}

/** By environment, never in the text of a script. */
function settingsOf({ registry }: ProbeOrder, unmounted: readonly string[]): readonly object[] {
  const [host = '', port = String(npmPort)] = (registry ?? '').split(':')
  const settings: Readonly<Record<string, string>> = {
    ...(registry !== null && { HOLDFAST_PROBE_HOST: host, HOLDFAST_PROBE_PORT: port }),
    ...(unmounted.length > 0 && { HOLDFAST_PROBE_UNMOUNTED: unmounted.join('\n') }),
  }
  return Object.entries(settings).map(([name, value]) => ({ name, value }))
}
