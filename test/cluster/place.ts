import { createHash } from 'node:crypto'
import path from 'node:path'

export const nodesMax = 3
/** It stands in scripts and configuration files of other programs. */
const folderForm = /^[\w./-]+$/
const nameForm = /^[a-z]([a-z0-9-]{0,28}[a-z0-9])?$/

/** Addresses exist only inside the cluster's own network namespace, so that every cluster can have the same. */
export const addresses = {
  /** The API server under its service's address: pods find it there without a proxy for services. */
  service: '10.96.0.1',
  services: '10.96.0.0/16',
  control: '10.240.0.1',
  node: (index: number): string => `10.240.0.${10 + index}`,
  pods: (index: number): string => `10.244.${index}.0/24`,
} as const

/** Where a cluster keeps itself, and by what its processes and groups are known. */
export interface Place {
  readonly name: string
  /** In the environment of every process and the name of every cgroup of this cluster. */
  readonly id: string
  readonly folder: string
  readonly stateFile: string
  readonly kubeconfig: string
  readonly certificates: string
  readonly logs: string
}

/** The folder that holds all clusters. */
export function clustersFolder(): string {
  const folder = path.resolve(process.env.HOLDFAST_CLUSTER_DIR ?? '/var/lib/holdfast-cluster')
  if (folderForm.test(folder)) return folder
  throw new Error(`HOLDFAST_CLUSTER_DIR: expected letters, digits and ._-/ alone, got ${folder}`)
}

/** The place of the cluster of this name; throws where the name cannot be one. */
export function placeOf(name: string): Place {
  if (!nameForm.test(name)) {
    throw new Error(
      `"${name}" cannot be a cluster's name: expected 1 to 30 small letters, digits or dashes, beginning with a letter.`,
    )
  }
  const folder = path.join(clustersFolder(), name)
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 8)
  return {
    name,
    id: `holdfast-cluster-${name}-${hash}`,
    folder,
    stateFile: path.join(folder, 'cluster.json'),
    kubeconfig: path.join(folder, 'kubeconfig'),
    certificates: path.join(folder, 'certificates'),
    logs: path.join(folder, 'logs'),
  }
}

/** The name of a node and of its folder. */
export function nodeName(index: number): string {
  return `node-${index}`
}
