import type { ObjectKind } from '../../../ports/cluster.ts'

const core = (plural: string, kind: string, isNamespaced: boolean): ObjectKind => ({
  ...{ group: '', version: 'v1', plural, kind, isNamespaced },
})

/** What the host watches and writes. */
export const kinds = {
  pods: core('pods', 'Pod', true),
  nodes: core('nodes', 'Node', false),
  quotas: core('resourcequotas', 'ResourceQuota', true),
  events: core('events', 'Event', true),
  namespaces: core('namespaces', 'Namespace', false),
} as const
