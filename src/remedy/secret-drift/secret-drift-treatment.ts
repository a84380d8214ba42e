import {
  type CredentialCopies,
  credentialHash,
  credentialKeys,
  type Remedy,
  type SecretDriftFacts,
} from '../../domain/remedy/index.ts'
import { keyOf, type ObjectRef } from '../../domain/snapshot/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { RemedyCredentials } from '../../ports/remedy-credentials.ts'
import { readSession } from '../credential/read-session.ts'
import type { SecretSources } from '../pull-secrets/pull-secrets-treatment.ts'
import type { Treatment } from '../treatment.ts'

/** The sources of remedies of ARC's credentials. */
export interface CredentialSources extends SecretSources {
  readonly credentials: RemedyCredentials
}

type Target = SecretDriftFacts['plan']['objects'][number]

/** `fix secret-drift` on a cluster: the keys that ARC reads are copied over one Secret. */
export function secretDriftTreatment(
  remedy: Remedy<SecretDriftFacts>,
  sources: CredentialSources & { readonly clock: Pick<Clock, 'now'> },
): Treatment<SecretDriftFacts> {
  const { cluster, secrets, credentials, clock } = sources
  const readCopies = async (planned: Target, signal: AbortSignal): Promise<CredentialCopies> => ({
    source: await secrets.readSecret(refOf(planned.source), planned.source.uid, signal),
    target: await secrets.readSecret(refOf(planned), planned.source.uid, signal),
  })
  return {
    remedy,
    async readFresh(planned, signal) {
      const at = clock.now()
      const session = await readSession(await cluster.readSet(planned.scaleSet, signal), credentials, signal)
      const users = await credentials.setsNaming(refOf(planned), signal)
      return { sources: { cluster: at }, session, users, ...(await readCopies(planned, signal)) }
    },
    async act({ namespace, name, uid, resourceVersion, source }, signal) {
      const to = { namespace, name, state: { uid, resourceVersion } }
      const copied = await secrets.copyKeys({ keys: credentialKeys, from: source, to }, signal)
      return copied === 'copied' ? 'done' : copied
    },
    async isDone(planned, signal) {
      const { target } = await readCopies(planned, signal)
      return target !== null && credentialHash(target.secret) === planned.sourceHash
    },
    readAfter: readCopies,
    ends: ({ objects }) =>
      objects.map((each) => ({
        subject: keyOf(each),
        async read(signal) {
          const reading = await cluster.readSet(each.scaleSet, signal)
          const session = await readSession(reading, credentials, signal)
          return { ...(await readCopies(each, signal)), session, phase: reading.set?.phase ?? null }
        },
      })),
    texts: {
      toDo: ({ source, uid, resourceVersion }) =>
        `the credential of ${keyOf(source)} to be written now, over uid ${uid} and resourceVersion ${resourceVersion}`,
      done: 'the cluster took it on',
      verified: 'the copies are equal',
      proven: 'the copies are equal, and the listener of each set has its session',
    },
  }
}

function refOf({ namespace, name }: ObjectRef): ObjectRef {
  return { namespace, name }
}
