import type { Remedy, StuckFinalizersFacts } from '../../domain/remedy/index.ts'
import { forgeHostOf } from '../../domain/snapshot/index.ts'
import type { ArcCredential } from '../../ports/arc-credential.ts'
import type { ArcNudges } from '../../ports/arc-nudges.ts'
import type { Clock } from '../../ports/clock.ts'
import { type RunnerSources, runnerRemoval } from '../runner/runner-treatment.ts'
import type { Treatment } from '../treatment.ts'

/** The sources of `fix stuck-finalizers`. */
export interface StuckSources extends RunnerSources {
  readonly credential: ArcCredential
  readonly nudges: Pick<ArcNudges, 'touchRunner' | 'readTouch'>
}

/** `fix stuck-finalizers`: an annotation on one runner, whose removal ARC then tries again at once. */
export function stuckFinalizersTreatment(
  remedy: Remedy<StuckFinalizersFacts>,
  sources: StuckSources & { readonly clock: Pick<Clock, 'now'> },
): Treatment<StuckFinalizersFacts> {
  const { readFresh, readAfter, ends } = runnerRemoval(sources)
  const { cluster, credential, nudges, clock } = sources
  return {
    remedy,
    readAfter,
    ends,
    async readFresh(planned, signal) {
      const { set } = await cluster.readSet(planned.scaleSet, signal)
      const { namespace } = planned.scaleSet
      const secret = set?.credentialSecret ?? null
      const forgeHost = set === null ? null : forgeHostOf(set)
      const { forgeScope } = planned
      const asked = await credential.ask({ namespace, secret, forgeHost, forgeScope }, signal)
      const log = clock.now()
      const lines = await credential.readControllerLog(signal)
      const fresh = await readFresh(planned, signal)
      const read = { ...fresh.sources, log, credential: asked.at }
      return { ...fresh, sources: read, lines, credential: asked }
    },
    async act({ namespace, name, uid, resourceVersion }, signal) {
      const nudged = await nudges.touchRunner({ namespace, name, uid, resourceVersion }, signal)
      return nudged === 'nudged' ? 'done' : nudged
    },
    async isDone(planned, signal) {
      if ((await nudges.readTouch(planned, signal)) === planned.resourceVersion) return true
      const { runners } = await cluster.readSet(planned.scaleSet, signal)
      return !runners.some(({ uid }) => uid === planned.uid)
    },
    texts: {
      toDo: ({ uid, resourceVersion }) =>
        `an annotation of ours to be written now, under uid ${uid} and resourceVersion ${resourceVersion}; no finalizer is touched`,
      done: 'the cluster took it on',
      verified: 'ARC has removed it at the forge and in the cluster',
      proven: 'every one of them has gone through ARC’s own finalizers',
    },
  }
}
