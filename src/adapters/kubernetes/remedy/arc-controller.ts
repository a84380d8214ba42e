import { HoldfastError } from '../../../domain/errors/index.ts'
import { isRecord } from '../../../domain/is-record.ts'
import type { StoredCredential, StoredCredentials } from '../../../ports/arc-credential.ts'
import type { ClusterObject } from '../../../ports/cluster.ts'
import { type Cluster, kinds, type WholeObject } from '../client/index.ts'
import { parseAll, parsePod, runnerProgramOf } from '../snapshot/index.ts'
import { wholly } from './whole.ts'

/** ARC tries a refused removal again every 17 min at most: a busy controller writes much between two of them. */
const linesMax = 2_000
const bytesMax = 1024 * 1024
const deadlineMs = 20_000

/** The newest lines of ARC's controllers in their namespace, masked; throws where there is none, or one cannot be read. */
export async function readControllerLog(
  cluster: Pick<Cluster, 'list' | 'logs'>,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const transform = (object: WholeObject) => object
  const objects = await cluster.list<WholeObject>({ kind: kinds.pods, namespace, transform }, signal)
  const pods = wholly(parseAll(objects, parsePod, 'pods'), kinds.pods)
  const controllers = pods.filter((pod) => runnerProgramOf(pod) === 'controller')
  if (controllers.length === 0)
    throw new HoldfastError('E_CLUSTER_ANSWER', {
      call: `GET pods in ${namespace}`,
      problem: 'no controller of ARC is among them',
    })
  const lines: string[] = []
  for (const { name, statuses } of controllers)
    for (const { name: container } of statuses) {
      const order = { namespace, pod: name, container, linesMax, bytesMax, deadlineMs }
      const { text } = await cluster.logs.tail(order, signal)
      lines.push(...text.split('\n'))
    }
  return lines
}

/** ARC's credentials by plain reads of their Secrets. */
export function createStoredCredentials({ reader }: Pick<Cluster, 'reader'>): StoredCredentials {
  return {
    async readCredential({ namespace, name }, signal) {
      const object = await reader.read<ClusterObject & { readonly data?: unknown }>(
        kinds.secrets,
        { namespace, name },
        signal,
      )
      return object === undefined || !isRecord(object.data) ? null : credentialIn(object.data)
    },
  }
}

function credentialIn(data: Readonly<Record<string, unknown>>): StoredCredential | null {
  const value = (key: string): string | null => {
    const encoded = data[key]
    return typeof encoded === 'string' ? Buffer.from(encoded, 'base64').toString('utf8').trim() : null
  }
  const token = value('github_token')
  if (token !== null) return { kind: 'token', token }
  const [id, privateKey] = [value('github_app_id'), value('github_app_private_key')]
  const installationId = Number(value('github_app_installation_id'))
  if (id === null || privateKey === null || !Number.isSafeInteger(installationId)) return null
  return { kind: 'app', id, installationId, privateKey }
}
