import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Connection } from './credentials.ts'
import { inClusterConnection } from './in-cluster.ts'
import { unusable } from './kubeconfig.ts'
import { type KubeconfigConnectionOptions, kubeconfigConnection } from './kubeconfig-connection.ts'

export interface FindOptions extends Omit<KubeconfigConnectionOptions, 'files'> {
  /** A kubeconfig that was named; unset: KUBECONFIG, then the pod's own service account, then ~/.kube/config. */
  readonly kubeconfig?: string | undefined
}

/** The connection that is meant, in the order in which people expect it. */
export async function findConnection({ kubeconfig, ...options }: FindOptions): Promise<Connection> {
  const { env } = options
  const named = kubeconfig === undefined ? listed(env.KUBECONFIG) : [kubeconfig]
  if (named.length > 0) {
    // As kubectl does it: of several files some may be absent, but not all of them.
    const present = named.filter((file) => existsSync(file))
    if (present.length > 0) return kubeconfigConnection({ ...options, files: present })
    throw unusable(named.join(', '), 'expected a kubeconfig there, got no file')
  }
  if (env.KUBERNETES_SERVICE_HOST) return inClusterConnection(options)
  const home = join(env.HOME ?? homedir(), '.kube', 'config')
  if (existsSync(home)) return kubeconfigConnection({ ...options, files: [home] })
  throw unusable('the environment', `expected KUBECONFIG, a service account or ${home}, got none of them`)
}

function listed(paths: string | undefined): string[] {
  return (paths ?? '').split(delimiter).filter((path) => path !== '')
}
