import { readFile } from 'node:fs/promises'
import { reasonOf } from '../../../../domain/reason.ts'
import type { Clock } from '../../../../ports/clock.ts'
import type { Log } from '../../../../ports/log.ts'
import { type Connection, type Credentials, fixedCredentials, type TlsMaterial } from './credentials.ts'
import { execCredentials } from './exec-plugin.ts'
import { type Chosen, type KubeconfigOptions, readKubeconfig, unusable } from './kubeconfig.ts'
import { reloadingCredentials } from './reloading.ts'

const namespaceDefault = 'default'

export interface KubeconfigConnectionOptions extends KubeconfigOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly log: Log
}

/** The connection that a kubeconfig describes, as kubectl would make it. */
export async function kubeconfigConnection(options: KubeconfigConnectionOptions): Promise<Connection> {
  const chosen = await readKubeconfig(options)
  const { context, cluster } = chosen
  return {
    server: cluster.settings.server.replace(/\/+$/, ''),
    namespace: context.settings.namespace ?? namespaceDefault,
    credentials: await credentialsOf(chosen, options),
    proxyUrl: cluster.settings['proxy-url'],
  }
}

async function credentialsOf(chosen: Chosen, options: KubeconfigConnectionOptions): Promise<Credentials> {
  const { settings: user, resolve } = chosen.user
  const tls = await tlsOf(chosen)
  if (user.exec !== undefined) {
    const cluster = { settings: chosen.cluster.settings, ca: tls.ca }
    return execCredentials({ ...options, settings: user.exec, resolve, tls, cluster })
  }
  const rest = { authorization: user.token && `Bearer ${user.token}`, tls }
  const files = filesOf(chosen)
  const isInFiles = Object.values(files).some((file) => file !== undefined)
  return isInFiles ? reloadingCredentials({ ...options, ...files, rest }) : fixedCredentials(rest)
}

/** Files that may be replaced while we run. A value in the kubeconfig itself wins over a file that it names. */
function filesOf({ cluster, user }: Chosen) {
  const { settings: keys } = user
  const file = (owner: Chosen['cluster' | 'user'], data: string | undefined, name: string | undefined) =>
    data !== undefined || name === undefined ? undefined : owner.resolve(name)
  return {
    // Not so the token: kubectl lets its file win, because the file is the one that is rotated.
    tokenFile: file(user, undefined, keys.tokenFile),
    caFile: file(
      cluster,
      cluster.settings['certificate-authority-data'],
      cluster.settings['certificate-authority'],
    ),
    certFile: file(user, keys['client-certificate-data'], keys['client-certificate']),
    keyFile: file(user, keys['client-key-data'], keys['client-key']),
  }
}

async function tlsOf({ cluster, user }: Chosen): Promise<TlsMaterial> {
  const { settings } = cluster
  const pem = (owner: Chosen['cluster' | 'user'], data: string | undefined, file: string | undefined) =>
    data !== undefined
      ? Buffer.from(data, 'base64').toString('utf8')
      : file === undefined
        ? undefined
        : contentOf(owner.resolve(file))
  const keys = user.settings
  const [ca, cert, key] = await Promise.all([
    pem(cluster, settings['certificate-authority-data'], settings['certificate-authority']),
    pem(user, keys['client-certificate-data'], keys['client-certificate']),
    pem(user, keys['client-key-data'], keys['client-key']),
  ])
  if ((cert === undefined) !== (key === undefined)) {
    throw unusable(`user "${user.name}"`, 'expected a client certificate and its key, got one of the two')
  }
  const isUnverified = settings['insecure-skip-tls-verify'] ?? false
  return { ca, cert, key, serverName: settings['tls-server-name'], isUnverified }
}

async function contentOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw unusable(file, reasonOf(error), error)
  }
}
