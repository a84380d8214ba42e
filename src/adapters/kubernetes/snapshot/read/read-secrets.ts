import {
  type ClusterFacts,
  isWhole,
  type Listing,
  type SecretFact,
} from '../../../../domain/snapshot/index.ts'
import type { Hash } from '../parse/secret.ts'
import type { ReadContext } from './context.ts'
import { secretsWith } from './kinds.ts'
import { listKind } from './list-kind.ts'
import { runnerProgramOf } from './runner-programs.ts'

type Seen = Pick<ClusterFacts, 'scaleSets' | 'listeners' | 'runners' | 'pods' | 'deployments'>

/** Secrets of the namespaces in which runners and their programs stand; those of other namespaces are not asked for. */
export async function readSecrets(
  seen: Seen,
  inScope: readonly string[] | null,
  hash: Hash,
  context: ReadContext,
): Promise<Listing<SecretFact>> {
  const namespaces = inScope ?? namespacesOf(seen)
  const listing = await listKind(secretsWith(hash), namespaces, context)
  if (inScope !== null || isWhole(seen.scaleSets)) return listing
  return { ...listing, unread: [...listing.unread, ...seen.scaleSets.unread] }
}

function namespacesOf({ scaleSets, listeners, runners, pods, deployments }: Seen): readonly string[] {
  const programs = [...pods.items, ...deployments.items].filter((each) => runnerProgramOf(each) !== null)
  const ours = pods.items.filter(({ labels }) =>
    Object.keys(labels).some((key) => key.startsWith('holdfast.dev/')),
  )
  const all = [...scaleSets.items, ...listeners.items, ...runners.items, ...programs, ...ours]
  return [...new Set(all.map(({ namespace }) => namespace))].sort()
}
