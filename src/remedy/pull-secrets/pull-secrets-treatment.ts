import { judgeWaiting, type PullSecretsFacts, pullSecretKey, type Remedy } from '../../domain/remedy/index.ts'
import { keyOf, type ObjectRef } from '../../domain/snapshot/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { RemedyCluster } from '../../ports/remedy.ts'
import type { RemedySecrets } from '../../ports/remedy-secrets.ts'
import type { Treatment } from '../treatment.ts'

/** The sources of `fix pull-secrets`. */
export interface SecretSources {
  readonly cluster: Pick<RemedyCluster, 'readSet' | 'readPod' | 'listSets'>
  readonly secrets: RemedySecrets
}

type Target = PullSecretsFacts['plan']['objects'][number]

/** `fix pull-secrets` on a cluster: one key is copied, or one listener pod is deleted. */
export function pullSecretsTreatment(
  remedy: Remedy<PullSecretsFacts>,
  { cluster, secrets, clock }: SecretSources & { readonly clock: Pick<Clock, 'now'> },
): Treatment<PullSecretsFacts> {
  const readCopy = async ({ source, listener }: Pick<Target, 'source' | 'listener'>, signal: AbortSignal) => {
    const to = { namespace: listener.namespace, name: source.name }
    return {
      listenerPod: await cluster.readPod(listener, signal),
      source: await secrets.readSecret(refOf(source), source.uid, signal),
      target: await secrets.readSecret(to, source.uid, signal),
    }
  }
  return {
    remedy,
    async readFresh(planned, signal) {
      const at = clock.now()
      const { namespace } = planned.source
      const pods = await secrets.listPods(namespace, signal)
      const events = await secrets.listEvents(namespace, signal)
      return { sources: { cluster: at }, pods, events, ...(await readCopy(planned, signal)) }
    },
    async act(planned, signal) {
      const { namespace, name, uid, resourceVersion, source } = planned
      if (planned.kind === 'Secret') {
        const state = planned.isMissing ? null : { uid, resourceVersion }
        const copy = { keys: [pullSecretKey], from: source, to: { namespace, name, state } }
        const copied = await secrets.copyKeys(copy, signal)
        return copied === 'copied' ? 'done' : copied
      }
      const pod = await cluster.readPod({ namespace, name }, signal)
      if (pod === null) return 'gone'
      if (pod.uid !== uid || !judgeWaiting(pod).passed) return 'conflict'
      const removal = await secrets.removePod(
        { namespace, name, uid, resourceVersion: pod.resourceVersion },
        signal,
      )
      return removal === 'removed' ? 'done' : removal
    },
    async isDone(planned, signal) {
      const { listenerPod, target } = await readCopy(planned, signal)
      if (planned.kind === 'Pod')
        return listenerPod === null || listenerPod.uid !== planned.uid || listenerPod.deletedAt !== null
      return target?.secret.keys.some(({ hash }) => hash === planned.sourceHash) === true
    },
    readAfter: readCopy,
    ends: ({ objects }) =>
      objects
        .filter(({ kind }) => kind === 'Secret')
        .map((each) => ({
          subject: keyOf(each),
          async read(signal) {
            const isPodPlanned = objects.some(
              ({ kind, source }) => kind === 'Pod' && source.uid === each.source.uid,
            )
            return { ...(await readCopy(each, signal)), isPodPlanned }
          },
        })),
    texts: {
      toDo: (planned) =>
        planned.kind === 'Pod'
          ? `to be deleted now, by uid ${planned.uid}, for ARC to make it again`
          : `${pullSecretKey} of ${keyOf(planned.source)} to be written now, ${planned.isMissing ? 'as a new Secret' : `over uid ${planned.uid} and resourceVersion ${planned.resourceVersion}`}`,
      done: 'the cluster took it on',
      verified: 'the copies are equal; a listener that was made again runs',
      proven: 'the copies are equal, and each listener that was made again runs',
    },
  }
}

function refOf({ namespace, name }: ObjectRef): ObjectRef {
  return { namespace, name }
}
