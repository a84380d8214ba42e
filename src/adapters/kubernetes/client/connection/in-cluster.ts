import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { HoldfastError } from '../../../../domain/errors/index.ts'
import type { Clock } from '../../../../ports/clock.ts'
import type { Log } from '../../../../ports/log.ts'
import type { Connection } from './credentials.ts'
import { reloadingCredentials } from './reloading.ts'

const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount'

export interface InClusterOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly folder?: string
}

/** The connection of a pod: the address from its environment, the rest from its service account's files. */
export async function inClusterConnection(options: InClusterOptions): Promise<Connection> {
  const { env, clock, log, folder = serviceAccountFolder } = options
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env
  if (!host)
    throw unusable('the environment', 'expected KUBERNETES_SERVICE_HOST, as every pod has it, got none')
  const files = { tokenFile: join(folder, 'token'), caFile: join(folder, 'ca.crt') }
  const credentials = reloadingCredentials({ clock, log, ...files, rest: { tls: {} } })
  const namespaceFile = join(folder, 'namespace')
  const namespace = await readFile(namespaceFile, 'utf8').catch((error: Error) => {
    throw unusable(namespaceFile, error.message, error)
  })
  const bracketed = host.includes(':') ? `[${host}]` : host
  return { server: `https://${bracketed}:${port}`, namespace: namespace.trim(), credentials }
}

function unusable(where: string, problem: string, cause?: unknown): HoldfastError {
  return new HoldfastError('E_CLUSTER_CONFIG', { where, problem }, cause)
}
