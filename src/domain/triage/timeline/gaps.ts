import { type EventFact, isWhole, type Listing, type Snapshot, type Unread } from '../../snapshot/index.ts'
import type { TriageCase } from '../case.ts'
import { namespacesOf, runnerNameIn } from './events.ts'

/** Everything that the timeline may lack, one line for each list: what is absent from it proves nothing. */
export function gapsOf(
  found: TriageCase,
  { cluster, forge }: Snapshot,
  events: readonly EventFact[],
): readonly string[] {
  const { job, pod } = found
  const node = pod?.node ?? null
  const lists: readonly Listing<unknown>[] = [
    forge.jobs,
    forge.runners,
    cluster.runners,
    cluster.pods,
    cluster.events,
    cluster.listeners,
    ...(node === null ? [] : [cluster.nodes, cluster.nodeUsage, cluster.nodeProbes]),
  ]
  const name = runnerNameIn(found)
  return [
    ...lists.flatMap(({ unread }) => unreadText(unread)),
    ...(job === null ? ['its job: the forge names none, or was not asked'] : []),
    ...(name === null ? [] : podGaps(found, name, cluster.events, events)),
    ...(node === null || cluster.nodes.items.some((each) => each.name === node)
      ? []
      : [`its node: ${node} is not among the nodes that were read`]),
  ]
}

function podGaps(
  found: TriageCase,
  name: string,
  listing: Listing<EventFact>,
  events: readonly EventFact[],
): string[] {
  const isPlaceKnown = namespacesOf(found).size > 0
  return [
    ...(found.pod === null ? [`its pod: ${name} is not among the pods that were read, and may be gone`] : []),
    ...(isPlaceKnown ? [] : ['events of its pod: nothing says in which namespace it was']),
    ...(isPlaceKnown && events.length === 0 && isWhole(listing)
      ? ['events of its pod: none is left; clusters keep them for about an hour']
      : []),
  ]
}

function unreadText(unread: readonly Unread[]): string[] {
  const [first, ...others] = unread
  if (first === undefined) return []
  const more = others.length === 0 ? '' : `; and ${others.length} more`
  return [`not read: ${first.what}: ${first.why}${more}`]
}
