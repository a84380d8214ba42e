import { signsOf } from '../../death/index.ts'
import { counted, percent } from '../../format.ts'
import type { AuditInput, FindingClass } from '../audit.ts'
import type { Finding, FindingEvidence, FindingSubject } from '../finding.ts'
import { keyOf } from '../joins.ts'
import { evidenceOf, findingOf, someOf, subjectOf } from '../judging.ts'
import { hostFileTable, processFileTable } from './classes.ts'
import { lessAtOnce, tableShare } from './pressure.ts'

/** A line about files in one log. */
interface Complaint {
  readonly class: FindingClass
  readonly subject: FindingSubject
  readonly evidence: FindingEvidence
  readonly node: string | null
}

/** Logs that speak of a full table of the node (ENFILE) or of one process (EMFILE), by repository or namespace. */
export function complaints(input: AuditInput): readonly Finding[] {
  const all = [...ofJobs(input), ...ofRunners(input)]
  const groups = Map.groupBy(all, (each) => `${each.class.name} ${each.subject.kind} ${each.subject.name}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first === undefined ? [] : [complaintFinding(input, first, group)]
  })
}

function ofJobs({ snapshot, narrowed }: AuditInput): readonly Complaint[] {
  const { logs, jobs } = snapshot.forge
  const runnerOf = new Map(
    jobs.items.map(({ repository, jobId, runnerName }) => [`${repository} ${jobId}`, runnerName]),
  )
  const podByName = new Map(snapshot.cluster.pods.items.map((pod) => [pod.name, pod]))
  return logs.items.flatMap(({ repository, jobId, lines }) => {
    const runner = runnerOf.get(`${repository} ${jobId}`) ?? ''
    if (narrowed.runner !== null && runner !== narrowed.runner) return []
    const subject = subjectOf('repository', { namespace: '', name: repository })
    const node = podByName.get(runner)?.node ?? null
    return inLog(lines).map(({ class: of, line }) => ({
      class: of,
      subject,
      evidence: evidenceOf(logs, `the log of job ${jobId} says: ${line}`),
      node,
    }))
  })
}

function ofRunners({ snapshot, joins, narrowed }: AuditInput): readonly Complaint[] {
  const logs = snapshot.cluster.runnerLogs
  return logs.items.flatMap(({ pod, lines }) => {
    if (narrowed.runner !== null && pod.name !== narrowed.runner) return []
    const { namespace } = pod
    const node = joins.podByKey.get(keyOf(pod))?.node ?? null
    return inLog(lines).map(({ class: of, line }) => ({
      class: of,
      subject: subjectOf('namespace', { namespace, name: namespace }),
      evidence: evidenceOf(logs, `the log of ${pod.name} says: ${line}`),
      node,
    }))
  })
}

function inLog(lines: readonly string[]): readonly { readonly class: FindingClass; readonly line: string }[] {
  const { fileTable, openFiles } = signsOf(lines.join('\n'))
  return [
    ...(fileTable === undefined ? [] : [{ class: hostFileTable, line: fileTable.line }]),
    ...(openFiles === undefined ? [] : [{ class: processFileTable, line: openFiles.line }]),
  ]
}

function complaintFinding(
  { snapshot }: AuditInput,
  { class: of, subject }: Complaint,
  group: readonly Complaint[],
): Finding {
  const { nodeProbes } = snapshot.cluster
  const nodes = new Set(group.flatMap(({ node }) => (node === null ? [] : [node])))
  const shares = nodeProbes.items.flatMap((probe) => {
    const share = nodes.has(probe.node) ? tableShare(probe) : null
    return share === null ? [] : [`${probe.node} ${percent(share)}`]
  })
  const isOfNode = of === hostFileTable
  return findingOf(of, {
    severity: isOfNode ? 'warning' : 'notice',
    subject,
    // A job writes its log: it fits, and proves nothing.
    confidence: 'likely',
    summary: isOfNode
      ? `A full file table of a node shows in ${counted(group.length, 'log')} of ${subject.name}.`
      : `A process with too many open files shows in ${counted(group.length, 'log')} of ${subject.name}.`,
    evidence: [
      ...group.slice(0, 3).map(({ evidence }) => evidence),
      ...(isOfNode && nodes.size > 0 ? [evidenceOf(snapshot.cluster.pods, `on ${someOf([...nodes])}`)] : []),
      ...(isOfNode && shares.length > 0
        ? [evidenceOf(nodeProbes, `file tables now: ${someOf(shares)}`)]
        : []),
    ],
    nextAllowedAction: isOfNode
      ? lessAtOnce
      : {
          kind: 'person',
          text: 'Raise the limit of open files (nofile) of the container runtime, or let the job open fewer.',
          command: null,
        },
  })
}
