import { arcApi, arcPlurals } from '../cluster/testing/arc-kinds.ts'
import { arcState } from '../support/arc-states.ts'
import { type ArcChange, ofNow, writtenImage } from './arc-of-now.ts'
import { addForge } from './forge-answers.ts'
import { closedTolerated, type Json, type Stage, waitsWith } from './stage.ts'

const controllerImage = 'ghcr.io/actions/gha-runner-scale-set-controller:0.14.2'

/** The images with which replayed pods run. */
export const arcImages = [
  controllerImage,
  'ghcr.io/actions/gha-runner-scale-set-controller:0.12.1',
  writtenImage,
  'ghcr.io/actions/actions-runner:2.331.0',
] as const

const pods = '/api/v1/pods'
const lifetimeScript = 'exec sleep 3600'

/**
 * Makes a state that ARC's real controller left, of now: its objects with their status, pods that really run, wait or
 * have ended, and programs that print its logs. All of it stands in one namespace, and the set has the namespace's name.
 */
export async function replayArc(stage: Stage, name: string, change: ArcChange = {}): Promise<void> {
  const state = ofNow(arcState(name), stage.namespace, change)
  const uids = new Map<string, string>()
  addForge(stage.forge, state, stage.namespace)
  await makeCredential(stage)
  for (const plural of arcPlurals) {
    for (const object of byAge(state.objects[plural]))
      uids.set(...(await makeObject(stage, plural, object, uids)))
  }
  await makeController(stage, state.logs.controller)
  const wanted = byAge(state.objects.pods)
  for (const pod of wanted) await stage.make(pods, podOf(pod, uids, state.logs.listener, change))
  for (const pod of wanted) await stage.podThat(pod.metadata.name, isAs(pod, change))
  await stage.podThat('controller', ({ status }) => status.phase === 'Running')
  for (const quota of state.objects.resourcequotas ?? []) await makeQuota(stage, quota)
  // Only now: whatever is deleted must not take along what is made from it.
  for (const plural of arcPlurals) {
    for (const { metadata } of byAge(state.objects[plural])) {
      if (metadata.deletionTimestamp !== undefined) await stage.remove(`${arcApi}/${plural}/${metadata.name}`)
    }
  }
}

function byAge(objects: readonly unknown[] = []): readonly Json[] {
  return (objects as readonly Json[]).toSorted((a, b) =>
    a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp),
  )
}

async function makeCredential(stage: Stage): Promise<void> {
  const { namespace } = stage
  await stage.make('/api/v1/secrets', {
    metadata: { name: `${namespace}-gha-rs-github-secret` },
    stringData: { github_token: `not-a-real-one-of-${namespace}` },
  })
}

/** Gives the uid that it had, and the one that it has now. */
async function makeObject(
  stage: Stage,
  plural: string,
  { status, ...object }: Json,
  uids: ReadonlyMap<string, string>,
): Promise<readonly [string, string]> {
  const path = `${arcApi}/${plural}`
  const { metadata } = await stage.make(path, { ...object, metadata: metadataOf(object.metadata, uids) })
  if (status !== undefined) await stage.patch(`${path}/${metadata.name}/status`, { status })
  return [object.metadata.uid, metadata.uid]
}

/** An owner that the dump no longer has would have the garbage collector remove its dependents. */
function metadataOf(metadata: Json, uids: ReadonlyMap<string, string>): object {
  const { name, labels, annotations, finalizers, ownerReferences = [] } = metadata
  const owners = ownerReferences
    .filter(({ uid }: Json) => uids.has(uid))
    .map((owner: Json) => ({ ...owner, uid: uids.get(owner.uid) }))
  return { name, labels, annotations, finalizers, ownerReferences: owners }
}

async function makeController(stage: Stage, log: readonly string[]): Promise<void> {
  await stage.make(pods, {
    metadata: { name: 'controller', labels: { 'app.kubernetes.io/name': 'gha-rs-controller' } },
    spec: specOf([printing({ name: 'manager', image: controllerImage }, log, lifetimeScript)]),
  })
}

async function makeQuota(stage: Stage, { metadata, spec }: Json): Promise<void> {
  const quotas = '/api/v1/resourcequotas'
  await stage.make(quotas, { metadata: { name: metadata.name }, spec })
  // Until it has counted, it refuses nothing.
  await stage.objectThat(`${quotas}/${metadata.name}`, ({ status }) => status.used !== undefined)
}

function podOf(
  pod: Json,
  uids: ReadonlyMap<string, string>,
  listenerLog: readonly string[],
  { pullSecret }: ArcChange,
): object {
  const containers = pod.spec.containers.map(({ name, image, resources }: Json) =>
    printing(
      { name, image, resources, imagePullPolicy: waitsForImage(pod) ? 'Always' : 'IfNotPresent' },
      isListener(pod) ? listenerLog : [],
      scriptOf(pod),
    ),
  )
  const isUnscheduled = pod.spec.nodeName === undefined
  return {
    metadata: metadataOf({ ...pod.metadata, finalizers: undefined }, uids),
    spec: {
      ...specOf(containers),
      ...(isUnscheduled && { schedulerName: 'holdfast.test/nobody' }),
      ...(pullSecret !== undefined && !isListener(pod) && { imagePullSecrets: [{ name: pullSecret }] }),
    },
  }
}

function isListener({ metadata }: Json): boolean {
  return metadata.labels['app.kubernetes.io/component'] === 'runner-scale-set-listener'
}

function specOf(containers: readonly object[]): object {
  return {
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 0,
    tolerations: closedTolerated,
    containers,
  }
}

function printing(container: object, log: readonly string[], script: string): object {
  const env = log.length === 0 ? [] : [{ name: 'LOG', value: log.join('\n') }]
  const command = ['sh', '-c', log.length === 0 ? script : `printf '%s\\n' "$LOG"; ${script}`]
  return { ...container, env, command }
}

function scriptOf({ status }: Json): string {
  const ended = status.containerStatuses?.[0]?.state.terminated
  return ended === undefined ? lifetimeScript : `exit ${ended.exitCode}`
}

const waitsForImage = waitsWith(/^(?:ErrImagePull|ImagePullBackOff)$/)

function isAs(pod: Json, { isRefused = false }: ArcChange): (now: Json) => boolean {
  const waits = waitsForImage(pod) || (isRefused && !isListener(pod))
  return (now) => (waits ? waitsForImage(now) : now.status.phase === pod.status.phase)
}
