import {
  type AppCredentialsFacts,
  type CredentialCopies,
  credentialHash,
  credentialKeys,
  type Remedy,
} from '../../domain/remedy/index.ts'
import { keyOf, type ObjectRef } from '../../domain/snapshot/index.ts'
import type { ArcCredential } from '../../ports/arc-credential.ts'
import type { Clock } from '../../ports/clock.ts'
import type { CredentialSources } from '../secret-drift/secret-drift-treatment.ts'
import type { Treatment } from '../treatment.ts'

/** The sources of `fix credentials`. */
export interface AppSources extends CredentialSources {
  readonly credential: Pick<ArcCredential, 'ask'>
}

type Target = AppCredentialsFacts['plan']['objects'][number]

/** `fix credentials`: the keys of an App that the forge accepts are copied to one Secret. */
export function appCredentialsTreatment(
  remedy: Remedy<AppCredentialsFacts>,
  sources: AppSources & { readonly clock: Pick<Clock, 'now'> },
): Treatment<AppCredentialsFacts> {
  const { cluster, secrets, credentials, credential, clock } = sources
  const readCopies = async (planned: Target, signal: AbortSignal): Promise<CredentialCopies> => ({
    source: await secrets.readSecret(refOf(planned.source), planned.source.uid, signal),
    target: await secrets.readSecret(refOf(planned), planned.source.uid, signal),
  })
  return {
    remedy,
    // The App is asked about before its Secret is read: in the planned state after that, it was in that state while it was asked.
    async readFresh(planned, signal) {
      const { source, forgeHost, forgeScope } = planned
      const { namespace, name } = source
      const asked = await credential.ask({ namespace, secret: name, forgeHost, forgeScope }, signal)
      const at = clock.now()
      const { set } = await cluster.readSet(planned.scaleSet, signal)
      const users = await credentials.setsNaming(refOf(planned), signal)
      return {
        sources: { cluster: at, credential: asked.at },
        set,
        credential: asked,
        users,
        ...(await readCopies(planned, signal)),
      }
    },
    async act({ namespace, name, uid, resourceVersion, isMissing, source }, signal) {
      const to = { namespace, name, state: isMissing ? null : { uid, resourceVersion } }
      const copied = await secrets.copyKeys({ keys: credentialKeys, from: source, to }, signal)
      return copied === 'copied' ? 'done' : copied
    },
    async isDone(planned, signal) {
      const { target } = await readCopies(planned, signal)
      return target !== null && credentialHash(target.secret) === planned.sourceHash
    },
    readAfter: readCopies,
    ends: ({ objects }) =>
      objects.map((each) => ({ subject: keyOf(each), read: (signal) => readCopies(each, signal) })),
    texts: {
      toDo: ({ source, isMissing, uid, resourceVersion }) =>
        `the App of ${keyOf(source)} to be written now, ${isMissing ? 'as a new Secret' : `over uid ${uid} and resourceVersion ${resourceVersion}`}`,
      done: 'the cluster took it on',
      verified: 'the copies are equal',
      proven: 'both namespaces have the App that the forge accepts; the set itself was not touched',
    },
  }
}

function refOf({ namespace, name }: ObjectRef): ObjectRef {
  return { namespace, name }
}
