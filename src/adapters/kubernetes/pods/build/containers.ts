import type { PodPlan } from '../../../../domain/pool/index.ts'
import { containers, paths } from '../names.ts'
import type { Container, EnvVar, PodSite } from '../pod.ts'
import { daemonResources, externalsResources, pollerResources, runnerResources } from './resources.ts'
import { daemonSecurity, pollerSecurity, runnerSecurity } from './security.ts'
import type { RunnerUser } from './user.ts'
import { daemonMounts, externalsMount, jitMount, sharedMounts, tokenMount } from './volumes.ts'

const dockerHost = `unix://${paths.docker}/docker.sock`
const daemonProbeSeconds = 1
const daemonProbesMax = 120

export interface Ingredients {
  readonly pool: string
  readonly plan: PodPlan
  readonly site: PodSite
  readonly user: RunnerUser
}

/** Asks for a job with the pod's own token, stages its configuration and ends: 0 only where it staged one. */
export function pollerContainer({ site, user, ...rest }: Ingredients): Container {
  return {
    name: containers.poller,
    image: site.pollerImage,
    command: ['sh', paths.poller],
    env: pollingEnv({ site, user, ...rest }),
    resources: pollerResources,
    securityContext: pollerSecurity(user),
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [tokenMount, jitMount],
  }
}

/**
 * Runs the job; starts only after the poller ended well. Nothing in it can prove to anybody which pod it is. The job's
 * configuration is mounted so that it can be removed: the launcher takes it away before the job's program starts.
 */
export function isolatedRunner({ plan }: Ingredients): Container {
  return {
    name: containers.runner,
    image: plan.image,
    ...(plan.command !== null && { command: ['sh', paths.launcher, ...plan.command] }),
    env: [{ name: 'HOLDFAST_JIT_FILE', value: paths.jitFile }, ...vitalsEnv(plan), ...dockerEnv(plan)],
    resources: runnerResources(plan),
    securityContext: runnerSecurity,
    volumeMounts: [jitMount, ...(plan.dind === null ? [] : sharedMounts)],
  }
}

/**
 * Polls and runs in one container, whose image carries `poller.sh`: for places that have no init containers. The job
 * can read the pod's token, and with it ask in the name of this one runner; therefore for trusted jobs only.
 */
export function singleRunner(ingredients: Ingredients): Container {
  const { plan } = ingredients
  return {
    name: containers.runner,
    image: plan.image,
    ...(plan.command !== null && { command: ['sh', paths.poller, '--then', ...plan.command] }),
    env: [
      ...pollingEnv(ingredients),
      { name: 'HOLDFAST_JIT_FILE', value: paths.jitFile },
      ...dockerEnv(plan),
    ],
    resources: runnerResources(plan),
    securityContext: runnerSecurity,
    volumeMounts: [tokenMount, jitMount, ...(plan.dind === null ? [] : sharedMounts)],
  }
}

/** A Docker daemon and what it needs of the runner. It starts before the poller asks, so that no job waits for it. */
export function daemonContainers({ plan, user }: Ingredients): Container[] {
  if (plan.dind === null) return []
  return [
    {
      name: containers.externals,
      image: plan.image,
      command: [
        'sh',
        '-c',
        `[ ! -d ${paths.externals} ] || cp -R ${paths.externals}/. ${paths.externalsCopy}/`,
      ],
      resources: externalsResources,
      securityContext: pollerSecurity(user),
      volumeMounts: [externalsMount],
    },
    {
      name: containers.dind,
      image: plan.dind.image,
      restartPolicy: 'Always',
      args: ['dockerd', `--host=${dockerHost}`, `--group=${user.fsGroup}`],
      env: [{ name: 'DOCKER_TLS_CERTDIR', value: '' }],
      resources: daemonResources(plan),
      securityContext: daemonSecurity,
      startupProbe: {
        exec: { command: ['docker', `--host=${dockerHost}`, 'version'] },
        periodSeconds: daemonProbeSeconds,
        timeoutSeconds: 5,
        failureThreshold: daemonProbesMax,
      },
      volumeMounts: daemonMounts,
    },
  ]
}

function pollingEnv({ pool, plan, site }: Ingredients): EnvVar[] {
  return [
    { name: 'HOLDFAST_URL', value: site.serverUrl },
    { name: 'HOLDFAST_POOL', value: pool },
    { name: 'HOLDFAST_RUNNER', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'HOLDFAST_POD_UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
    { name: 'HOLDFAST_NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
    { name: 'HOLDFAST_IMAGE', value: plan.image },
    { name: 'HOLDFAST_TOKEN_FILE', value: `${paths.token}/token` },
    { name: 'HOLDFAST_JIT_DIR', value: paths.jit },
    { name: 'HOLDFAST_POLL_MS', value: `${site.pollMs}` },
    ...vitalsEnv(plan),
  ]
}

/** The poller stages the script next to the launcher, which starts it. */
function vitalsEnv({ vitals }: PodPlan): EnvVar[] {
  return vitals ? [{ name: 'HOLDFAST_VITALS', value: '1' }] : []
}

function dockerEnv({ dind }: PodPlan): EnvVar[] {
  return dind === null ? [] : [{ name: 'DOCKER_HOST', value: dockerHost }]
}
