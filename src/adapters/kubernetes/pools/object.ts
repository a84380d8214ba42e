import type { ClusterObject, ObjectKind } from '../../../ports/cluster.ts'

export const runnerPools: ObjectKind = {
  group: 'holdfast.dev',
  version: 'v1alpha1',
  plural: 'runnerpools',
  kind: 'RunnerPool',
  isNamespaced: true,
}

/** Keeps a declaration that somebody deleted until its last runner is gone. */
export const poolFinalizer = 'holdfast.dev/pool'

export interface RunnerPoolObject extends ClusterObject {
  readonly spec: unknown
  readonly status: Readonly<Record<string, unknown>>
}

/** The fields of a RunnerPool that are kept: without foreign annotations, which may be large. */
export function keepRunnerPool(object: ClusterObject & Record<string, unknown>): RunnerPoolObject {
  const { labels: _, annotations: __, ...metadata } = object.metadata
  return { metadata, spec: object.spec, status: (object.status ?? {}) as Record<string, unknown> }
}
