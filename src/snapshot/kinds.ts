import type { ClusterFacts, ForgeFacts } from '../domain/snapshot/index.ts'

/** Every list of the cluster's facts, in words. */
export const clusterKinds = {
  scaleSets: 'scale sets',
  listeners: 'listeners',
  runnerSets: 'runner sets',
  runners: 'runners',
  pods: 'pods',
  nodes: 'nodes',
  nodeUsage: 'statistics of nodes',
  nodeSettings: 'kubelet settings of nodes',
  nodeProbes: 'probes of node agents',
  events: 'events',
  quotas: 'resource quotas',
  limitRanges: 'limit ranges',
  claims: 'persistent volume claims',
  storageClasses: 'storage classes',
  storageCapacity: 'storage capacities',
  autoscalers: 'horizontal pod autoscalers',
  priorityClasses: 'priority classes',
  deployments: 'deployments',
  services: 'services',
  secrets: 'secrets',
  logs: 'logs of pods',
  runnerLogs: 'logs of runners that ended',
  machines: 'machines',
  namespaces: 'namespaces',
  cronJobs: 'cron jobs',
} as const satisfies Record<keyof ClusterFacts, string>

/** Every list of the forge's facts, in words. */
export const forgeKinds = {
  runners: "the forge's runners",
  jobs: "the forge's jobs",
  logs: 'logs of jobs',
  budgets: 'budgets of credentials',
} as const satisfies Record<keyof ForgeFacts, string>
