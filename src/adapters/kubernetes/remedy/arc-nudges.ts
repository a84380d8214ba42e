import type { ArcNudges, Nudged } from '../../../ports/arc-nudges.ts'
import type { Changed, ClusterObject } from '../../../ports/cluster.ts'
import type { Cluster } from '../client/index.ts'
import { arcKinds } from '../snapshot/index.ts'
import { isRefusal } from './whole.ts'

/** Names the state of a runner that was looked at, for people who find it. ARC reconciles whatever changes. */
const touchAnnotation = 'holdfast.dev/looked-at'
const { scaleSets, runners } = arcKinds

/** ARC's objects, by one merge patch under UID and resourceVersion for each nudge. */
export function createArcNudges({ reader, writer }: Pick<Cluster, 'reader' | 'writer'>): ArcNudges {
  return {
    resetPhase: ({ namespace, name, uid, resourceVersion }, signal) =>
      nudged(() =>
        writer.patch(
          scaleSets.kind,
          { namespace, name, uid, resourceVersion },
          { status: { phase: 'Pending' } },
          signal,
          'status',
        ),
      ),
    touchRunner: ({ namespace, name, uid, resourceVersion }, signal) =>
      nudged(() =>
        writer.patch(
          runners.kind,
          { namespace, name, uid, resourceVersion },
          { metadata: { annotations: { [touchAnnotation]: resourceVersion } } },
          signal,
        ),
      ),
    async readTouch({ namespace, name }, signal) {
      const object = await reader.read<ClusterObject>(runners.kind, { namespace, name }, signal)
      return object?.metadata.annotations?.[touchAnnotation] ?? null
    },
  }
}

async function nudged(patch: () => Promise<Changed>): Promise<Nudged> {
  try {
    const { kind } = await patch()
    return kind === 'changed' ? 'nudged' : kind
  } catch (error) {
    if (isRefusal(error)) throw error
    return 'unknown'
  }
}
