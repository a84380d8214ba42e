import type { RemedyCredentials } from '../../../ports/remedy-credentials.ts'
import type { Cluster, WholeObject } from '../client/index.ts'
import { arcKinds, parseAll } from '../snapshot/index.ts'
import { wholly } from './whole.ts'

/** The last minutes of a listener: it asks for a message at least every minute. */
const linesMax = 200
const bytesMax = 64 * 1024
const deadlineMs = 10_000

/** The sets that use a credential, and the log of a listener. */
export function createRemedyCredentials(cluster: Pick<Cluster, 'countedReads' | 'list'>): RemedyCredentials {
  const { logs } = cluster.countedReads()
  const { kind, parse } = arcKinds.scaleSets
  return {
    async setsNaming({ namespace, name }, signal) {
      const transform = (object: WholeObject) => object
      const objects = await cluster.list<WholeObject>({ kind, namespace, transform }, signal)
      return wholly(parseAll(objects, parse, kind.plural), kind)
        .filter(({ credentialSecret }) => credentialSecret === name)
        .map((set) => ({ namespace: set.namespace, name: set.name }))
    },
    async readLog({ namespace, name, container }, signal) {
      const order = { namespace, pod: name, container, linesMax, bytesMax, deadlineMs }
      const { text } = await logs.tail(order, signal)
      return text.split('\n').filter((line) => line !== '')
    },
  }
}
