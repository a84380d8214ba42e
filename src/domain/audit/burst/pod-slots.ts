import { isWhole, type NodeFact, type PodFact } from '../../snapshot/index.ts'
import type { AuditInput } from '../audit.ts'
import type { Finding } from '../finding.ts'
import { keyOf, setOfPod } from '../joins.ts'
import { evidenceOf, findingOf, someOf, subjectOf } from '../judging.ts'
import { type Holder, holderCounts, holderOf } from '../label-load.ts'
import { podSlotPressure } from './classes.ts'

/** From here on, one burst of a lane takes the rest of a node's slots. */
const slotShareMin = 0.9
/** Longer than any grace period of a runner: a pod that is still being deleted is residue. */
const deletingMs = 10 * 60_000

interface Slots {
  readonly live: number
  readonly completed: number
  readonly residue: number
  readonly idle: number
  readonly holders: readonly Holder[]
  readonly others: number
}

/** Nodes with runners whose pod slots are nearly all taken, and by what. */
export function crowdedNodes(input: AuditInput): readonly Finding[] {
  return input.snapshot.cluster.nodes.items.flatMap((node) => {
    const most = node.allocatable.pods ?? 0
    const pods = input.joins.podsByNode.get(node.name) ?? []
    if (most === 0 || pods.filter(isLive).length < most * slotShareMin) return []
    if (!pods.some((pod) => setOfPod(input.joins, pod) !== null)) return []
    return [slotFinding(input, node, slotsOf(input, pods), most)]
  })
}

/** The scheduler counts no pod that has ended. */
function isLive({ phase }: PodFact): boolean {
  return phase !== 'Succeeded' && phase !== 'Failed'
}

function slotsOf({ snapshot, joins }: AuditInput, pods: readonly PodFact[]): Slots {
  const holders: Holder[] = []
  let [completed, residue, idle, others] = [0, 0, 0, 0]
  for (const pod of pods) {
    const isRunner = setOfPod(joins, pod) !== null
    const runner = joins.runnerByKey.get(keyOf(pod))
    const holder = runner === undefined ? null : holderOf(runner, joins)
    if (!isLive(pod)) completed += isRunner ? 1 : 0
    else if (pod.deletedAt !== null && snapshot.takenAt - pod.deletedAt >= deletingMs) residue += 1
    else if (!isRunner) others += 1
    else if (holder !== null) holders.push(holder)
    else if (runner === undefined && isWhole(snapshot.cluster.runners)) residue += 1
    else idle += 1
  }
  return { live: pods.filter(isLive).length, completed, residue, idle, holders, others }
}

function slotFinding({ snapshot }: AuditInput, node: NodeFact, slots: Slots, most: number): Finding {
  const { live, completed, residue, idle, holders, others } = slots
  const { pods, nodes } = snapshot.cluster
  const works = holders.length === 0 ? '' : ` (${someOf(holderCounts(holders))})`
  return findingOf(podSlotPressure, {
    severity: live >= most ? 'warning' : 'notice',
    subject: subjectOf('node', node),
    confidence: 'proven',
    summary: `${live} of ${most} pod slots of ${node.name} are taken.`,
    evidence: [
      evidenceOf(nodes, `allocatable pods: ${most}`),
      evidenceOf(pods, `live jobs: ${holders.length}${works}`),
      evidenceOf(pods, `stale residue: ${residue}; idle or starting runners: ${idle}; other pods: ${others}`),
      evidenceOf(pods, `completed runner pods, which hold no slot by the scheduler's count: ${completed}`),
    ],
    nextAllowedAction:
      residue > 0
        ? {
            kind: 'read',
            text: 'See which runners of the residue are proven idle or gone.',
            command: 'holdfast audit runtime',
          }
        : {
            kind: 'read',
            text: 'Read who holds the labels, before a cap is touched.',
            command: 'holdfast audit shared-labels',
          },
  })
}
