import type { ClusterFacts, Listing } from '../../../../domain/snapshot/index.ts'
import type { ObjectKind } from '../../../../ports/cluster.ts'
import { kinds } from '../../client/index.ts'
import { parseRunner, parseRunnerSet } from '../parse/arc-runner.ts'
import { parseListener, parseScaleSet } from '../parse/arc-set.ts'
import { parseAutoscaler, parseLimitRange, parsePriorityClass, parseQuota } from '../parse/limits.ts'
import { parseCronJob, parseNamespace } from '../parse/namespace.ts'
import { parseNode } from '../parse/node.ts'
import { parsePod } from '../parse/pod.ts'
import { type Hash, parseSecret } from '../parse/secret.ts'
import { parseClaim, parseStorageCapacity, parseStorageClass } from '../parse/storage.ts'
import {
  parseDeployment,
  parseEndpointSlice,
  parseEvent,
  parseMachine,
  parseService,
} from '../parse/workload.ts'
import type { FactKind } from './list-kind.ts'

type ItemOf<K extends keyof ClusterFacts> = ClusterFacts[K] extends Listing<infer T> ? T : never
type FactKinds<K extends keyof ClusterFacts> = { readonly [Each in K]: FactKind<ItemOf<Each>> }

/** A cluster in trouble writes many; older ones of the same say no more. */
const eventsMax = 20_000

/** ARC's object for one runner; its pod has the same name. */
export const ephemeralRunners = arc('ephemeralrunners', 'EphemeralRunner')

/** ARC's four kinds, in all releases under one version. */
export const arcKinds: FactKinds<'scaleSets' | 'listeners' | 'runnerSets' | 'runners'> = {
  scaleSets: {
    kind: arc('autoscalingrunnersets', 'AutoscalingRunnerSet'),
    isInstalled: true,
    parse: parseScaleSet,
  },
  listeners: {
    kind: arc('autoscalinglisteners', 'AutoscalingListener'),
    isInstalled: true,
    parse: parseListener,
  },
  runnerSets: {
    kind: arc('ephemeralrunnersets', 'EphemeralRunnerSet'),
    isInstalled: true,
    parse: parseRunnerSet,
  },
  runners: { kind: ephemeralRunners, isInstalled: true, parse: parseRunner },
}

/** The kinds of which one list is all. */
export const plainKinds: FactKinds<
  | 'pods'
  | 'nodes'
  | 'events'
  | 'quotas'
  | 'limitRanges'
  | 'claims'
  | 'storageClasses'
  | 'storageCapacity'
  | 'autoscalers'
  | 'priorityClasses'
  | 'deployments'
  | 'machines'
  | 'namespaces'
  | 'cronJobs'
> = {
  pods: { kind: kinds.pods, parse: parsePod },
  nodes: { kind: kinds.nodes, parse: parseNode },
  events: { kind: kinds.events, parse: parseEvent, itemsMax: eventsMax },
  quotas: { kind: kinds.quotas, parse: parseQuota },
  limitRanges: { kind: served('', 'v1', 'limitranges', 'LimitRange'), parse: parseLimitRange },
  claims: { kind: served('', 'v1', 'persistentvolumeclaims', 'PersistentVolumeClaim'), parse: parseClaim },
  storageClasses: {
    kind: { ...served('storage.k8s.io', 'v1', 'storageclasses', 'StorageClass'), isNamespaced: false },
    parse: parseStorageClass,
  },
  storageCapacity: {
    kind: served('storage.k8s.io', 'v1', 'csistoragecapacities', 'CSIStorageCapacity'),
    parse: parseStorageCapacity,
  },
  autoscalers: {
    kind: served('autoscaling', 'v2', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler'),
    parse: parseAutoscaler,
  },
  priorityClasses: {
    kind: { ...served('scheduling.k8s.io', 'v1', 'priorityclasses', 'PriorityClass'), isNamespaced: false },
    parse: parsePriorityClass,
  },
  deployments: { kind: served('apps', 'v1', 'deployments', 'Deployment'), parse: parseDeployment },
  machines: {
    kind: served('cluster.x-k8s.io', 'v1beta2', 'machines', 'Machine'),
    olderVersions: ['v1beta1'],
    isInstalled: true,
    parse: parseMachine,
  },
  namespaces: { kind: kinds.namespaces, parse: parseNamespace },
  cronJobs: { kind: served('batch', 'v1', 'cronjobs', 'CronJob'), parse: parseCronJob },
}

export const services = { kind: served('', 'v1', 'services', 'Service'), parse: parseService }

export const endpointSlices = {
  kind: served('discovery.k8s.io', 'v1', 'endpointslices', 'EndpointSlice'),
  parse: parseEndpointSlice,
}

/** Tokens of service accounts and Helm's releases hold no credential of a fleet, and are large: they are not asked for. */
export function secretsWith(hash: Hash): FactKind<ItemOf<'secrets'>> {
  return {
    kind: served('', 'v1', 'secrets', 'Secret'),
    fieldSelector: 'type!=kubernetes.io/service-account-token,type!=helm.sh/release.v1',
    parse: (secret) => parseSecret(secret, hash),
  }
}

function arc(plural: string, kind: string): ObjectKind {
  return served('actions.github.com', 'v1alpha1', plural, kind)
}

function served(group: string, version: string, plural: string, kind: string): ObjectKind {
  return { group, version, plural, kind, isNamespaced: true }
}
