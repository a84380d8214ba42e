import { percent } from '../../format.ts'
import type { NodeProbeFact } from '../../snapshot/index.ts'
import type { AuditInput } from '../audit.ts'
import type { Finding, NextAction } from '../finding.ts'
import { setOfPod } from '../joins.ts'
import { evidenceOf, findingOf, someOf, subjectOf } from '../judging.ts'
import { hostFileTable } from './classes.ts'

/** From here on one parallel install fills the rest. */
const highShare = 0.9
/** Full for all that matters: the kernel keeps a little for root. */
const fullShare = 0.98

/** The only next action that is allowed while a table is full. */
export const lessAtOnce: NextAction = {
  kind: 'person',
  text: 'Let package managers of the jobs do less at once, or move them to another lane; then run one again on the same commit.',
  command: null,
}

/** Nodes whose file table the agent saw nearly full, with the runners on them. */
export function fullTables(input: AuditInput): readonly Finding[] {
  const { nodes } = input.narrowed
  return input.snapshot.cluster.nodeProbes.items.flatMap((probe) => {
    const share = tableShare(probe)
    if (share === null || share < highShare) return []
    return nodes === null || nodes.includes(probe.node) ? [tableFinding(input, probe, share)] : []
  })
}

/** Null where the agent did not read it. */
export function tableShare({ fileTable }: NodeProbeFact): number | null {
  return fileTable === null || fileTable.max <= 0 ? null : fileTable.allocated / fileTable.max
}

function tableFinding({ snapshot, joins }: AuditInput, probe: NodeProbeFact, share: number): Finding {
  const { nodeProbes, pods } = snapshot.cluster
  const { node, at, fileTable, openFilesMax } = probe
  const runners = (joins.podsByNode.get(node) ?? []).filter(
    (pod) => pod.phase === 'Running' && setOfPod(joins, pod) !== null,
  )
  return findingOf(hostFileTable, {
    severity: share >= fullShare ? 'critical' : 'warning',
    subject: subjectOf('node', { namespace: '', name: node }),
    confidence: 'proven',
    summary: `The file table of ${node} is ${percent(share)} full.`,
    evidence: [
      evidenceOf(nodeProbes, `${fileTable?.allocated} of ${fileTable?.max} files are open on the node`, at),
      ...(openFilesMax === null
        ? []
        : [evidenceOf(nodeProbes, `one process may open ${openFilesMax} files`, at)]),
      evidenceOf(
        pods,
        runners.length === 0
          ? 'no runner is known there'
          : `runners there: ${someOf(runners.map(({ name }) => name))}`,
      ),
    ],
    nextAllowedAction: lessAtOnce,
  })
}
