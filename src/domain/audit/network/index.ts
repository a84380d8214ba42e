import { counted } from '../../format.ts'
import type { Audit, AuditInput } from '../audit.ts'
import type { AuditTable, Finding, FindingSubject, Judgement, NextAction } from '../finding.ts'
import { commandWith, evidenceOf, findingOf, someOf, subjectOf, unjudgedBy } from '../judging.ts'
import { clusterEnds, jobEnds, networkClasses, vanished } from './classes.ts'
import { type RunnerEnd, runnerEnds } from './ends.ts'
import { vanishedRunners } from './vanished.ts'

/** Sentences of a verdict that a finding quotes. */
const becauseMax = 3
const rowsMax = 100

export const network: Audit = {
  name: 'network',
  title: 'Runners that were lost: evicted, cut off, deleted, or gone with their node',
  classes: networkClasses,
  judge: judgeNetwork,
}

function judgeNetwork(input: AuditInput): Judgement {
  const { cluster, forge } = input.snapshot
  const ends = runnerEnds(input)
  const ofJobs = networkClasses.filter(({ name }) => !(clusterEnds as readonly string[]).includes(name))
  return {
    findings: [...lostRunners(input, ends), ...vanishedRunners(input)],
    unjudged: [
      ...unjudgedBy(networkClasses, cluster.pods),
      ...unjudgedBy(networkClasses, cluster.nodes),
      ...unjudgedBy(networkClasses, cluster.events),
      ...unjudgedBy(
        ofJobs.filter(({ name }) => (jobEnds as readonly string[]).includes(name)),
        cluster.runnerLogs,
      ),
      ...unjudgedBy(networkClasses, forge.jobs),
      ...unjudgedBy(networkClasses, cluster.scaleSets),
      ...unjudgedBy(networkClasses, cluster.runners),
      ...unjudgedBy([vanished], forge.runners),
      ...unjudgedBy([vanished], cluster.scaleSets),
    ],
    tables: ends.length === 0 ? [] : [tableOf(ends)],
  }
}

/** One finding for each class and node; for a runner that was asked for, about itself. */
function lostRunners(input: AuditInput, ends: readonly RunnerEnd[]): readonly Finding[] {
  const lost = ends.filter(({ isLost }) => isLost)
  const groups = Map.groupBy(lost, (end) => {
    const { kind, namespace, name } = subjectFor(input, end)
    return JSON.stringify([end.verdict.class, kind, namespace, name])
  })
  return [...groups.values()].flatMap((group) => lostFinding(input, group))
}

function subjectFor({ narrowed }: AuditInput, { pod }: RunnerEnd): FindingSubject {
  if (narrowed.runner !== null) return subjectOf('runner', pod)
  if (pod.node !== null) return subjectOf('node', { namespace: '', name: pod.node })
  return subjectOf('namespace', { namespace: pod.namespace, name: pod.namespace })
}

function lostFinding(input: AuditInput, group: readonly RunnerEnd[]): readonly Finding[] {
  const [first] = group
  const of = networkClasses.find(({ name }) => name === first?.verdict.class)
  if (first === undefined || of === undefined) return []
  const { pods } = input.snapshot.cluster
  const subject = subjectFor(input, first)
  const jobs = [...new Set(group.flatMap(({ job }) => (job === null ? [] : [job.repository])))]
  const isProven = group.some(({ verdict }) => verdict.confidence === 'proven')
  return [
    findingOf(of, {
      severity: 'warning',
      subject,
      confidence: isProven ? 'proven' : 'likely',
      summary: lostSummary(input, subject.name, group.length, of.name),
      evidence: [
        ...first.verdict.because
          .slice(0, becauseMax)
          .map((sentence) => evidenceOf(pods, `${first.pod.name}: ${sentence}`, endOf(first))),
        evidenceOf(pods, `runners: ${someOf(group.map(({ pod }) => pod.name))}`),
        ...(jobs.length === 0 ? [] : [evidenceOf(input.snapshot.forge.jobs, `jobs of ${someOf(jobs)}`)]),
      ],
      nextAllowedAction: nextOf(first),
    }),
  ]
}

function lostSummary({ narrowed }: AuditInput, name: string, count: number, end: string): string {
  return narrowed.runner === null
    ? `${name} lost ${counted(count, 'runner')} (${end}).`
    : `${name} was lost (${end}).`
}

function endOf({ pod }: RunnerEnd): number | null {
  return pod.statuses.find(({ name }) => name === 'runner')?.state?.finishedAt ?? pod.deletedAt
}

function nextOf({ verdict, pod }: RunnerEnd): NextAction {
  if (verdict.class === 'evicted-disk' || verdict.class === 'evicted-inodes') {
    const text =
      "See what is left on the node; the lane's request belongs in its own source, not in the repository."
    return { kind: 'read', text, command: commandWith('holdfast audit imagefs --node', pod.node ?? '') }
  }
  return { kind: 'person', text: verdict.nextSteps[0] ?? 'Read the evidence of the end.', command: null }
}

function tableOf(ends: readonly RunnerEnd[]): AuditTable {
  const rows = ends
    .slice(0, rowsMax)
    .map(({ pod, verdict, job }) => [
      pod.name,
      pod.node ?? 'none',
      verdict.class,
      verdict.confidence,
      verdict.because[0] ?? '',
      job === null ? '' : `${job.repository}: ${job.conclusion ?? job.status}`,
    ])
  return {
    title: ends.length > rowsMax ? `Ends of runners (${rowsMax} of ${ends.length})` : 'Ends of runners',
    columns: ['runner', 'node', 'end', 'confidence', 'because', 'job'],
    rows,
  }
}
