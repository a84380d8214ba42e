import { evictionOf } from '../../death/index.ts'
import { counted } from '../../format.ts'
import type { PodFact } from '../../snapshot/index.ts'
import type { AuditInput } from '../audit.ts'
import type { Finding } from '../finding.ts'
import { commandWith, evidenceOf, findingOf, someOf, subjectOf } from '../judging.ts'
import { podFilter } from '../narrowing.ts'
import { nodePressureEviction } from './classes.ts'

/** The resource that the node was short of, by the class of an eviction; a pod past its own limit is not among them. */
const shortOf: Readonly<Record<string, string>> = {
  'evicted-memory': 'memory',
  'evicted-disk': 'disk space',
  'evicted-inodes': 'inodes',
  'evicted-pid': 'process ids',
}

/** Nodes that evicted pods because they were short of something. */
export function pressedNodes(input: AuditInput): readonly Finding[] {
  const isAskedFor = podFilter(input)
  const evicted = input.snapshot.cluster.pods.items.flatMap((pod) => {
    const what = pod.reason === 'Evicted' ? shortOf[evictionOf(pod.message ?? '')] : undefined
    return what === undefined || pod.node === null || !isAskedFor(pod) ? [] : [{ pod, node: pod.node, what }]
  })
  return [...Map.groupBy(evicted, ({ node }) => node)].map(([node, group]) =>
    evictionFinding(input, node, group),
  )
}

function evictionFinding(
  { snapshot, joins }: AuditInput,
  node: string,
  group: readonly { readonly pod: PodFact; readonly what: string }[],
): Finding {
  const { pods, nodes } = snapshot.cluster
  const what = [...new Set(group.map((each) => each.what))]
  const [first] = group
  const pressures = (joins.nodeByName.get(node)?.conditions ?? []).filter(
    ({ type, status }) => type.endsWith('Pressure') && status === 'True',
  )
  return findingOf(nodePressureEviction, {
    severity: 'warning',
    subject: subjectOf('node', { namespace: '', name: node }),
    confidence: 'proven',
    summary: `${node} was short of ${someOf(what)} and evicted ${counted(group.length, 'pod')}.`,
    evidence: [
      evidenceOf(pods, `${first?.pod.name}: ${first?.pod.message}`),
      evidenceOf(pods, `evicted: ${someOf(group.map(({ pod }) => pod.name))}`),
      ...pressures.map(({ type, at }) => evidenceOf(nodes, `${type} is True`, at)),
    ],
    nextAllowedAction: {
      kind: 'read',
      text: "See what is left on the node, and whether lanes' requests cover what they use.",
      command: commandWith('holdfast audit imagefs --node', node),
    },
  })
}
