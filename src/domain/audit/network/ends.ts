import { classifyDeath, type DeathClass, type Verdict } from '../../death/index.ts'
import { type ForgeJobFact, isWhole, type NodeFact, type PodFact } from '../../snapshot/index.ts'
import type { AuditInput } from '../audit.ts'
import { keyOf, setOfPod } from '../joins.ts'
import { podFilter } from '../narrowing.ts'
import { clusterEnds, jobEnds } from './classes.ts'
import { endingOfPod, jobReportOf } from './pod-ending.ts'

/** A runner that ended, or whose node is lost, with the verdict about it. */
export interface RunnerEnd {
  readonly pod: PodFact
  readonly verdict: Verdict
  readonly job: ForgeJobFact | null
  /** Whether it is worth a finding; others are shown only. */
  readonly isLost: boolean
}

const ofCluster: ReadonlySet<DeathClass> = new Set(clusterEnds)
const ofJob: ReadonlySet<DeathClass> = new Set(jobEnds)

/**
 * The ends of runners whose pods are still there. Facts around a pod can change its class, so without all of them only a
 * verdict that is proven by the pod itself counts.
 */
export function runnerEnds(input: AuditInput): readonly RunnerEnd[] {
  const isAskedFor = podFilter(input)
  const tails = tailsOf(input)
  const known = knownParts(input)
  return input.snapshot.cluster.pods.items.flatMap((pod) => {
    if (!isRunner(input, pod) || !isAskedFor(pod)) return []
    const node = nodeOf(input, pod)
    const job = input.joins.jobsByRunner.get(pod.name)?.at(-1) ?? null
    if (!hasEnded(pod, node) || isPlainlyDone(pod, job)) return []
    return [judgeEnd(input, { pod, node, job, tail: tails.get(keyOf(pod)) ?? '' }, known)]
  })
}

interface KnownParts {
  readonly isAround: boolean
  readonly isJob: boolean
}

function knownParts({ snapshot }: AuditInput): KnownParts {
  const { nodes, events, runnerLogs } = snapshot.cluster
  const isAround = isWhole(nodes) && isWhole(events)
  return { isAround, isJob: isAround && isWhole(runnerLogs) && isWhole(snapshot.forge.jobs) }
}

interface EndFacts {
  readonly pod: PodFact
  readonly node: NodeFact | 'gone' | null
  readonly job: ForgeJobFact | null
  readonly tail: string
}

function judgeEnd(input: AuditInput, { pod, node, job, tail }: EndFacts, known: KnownParts): RunnerEnd {
  const { takenAt: now, forge } = input.snapshot
  const events = input.joins.eventsBySubject.get(`Pod/${keyOf(pod)}`) ?? []
  const around = known.isAround ? { events, node } : { events: [], node: null }
  const byCluster = classifyDeath(endingOfPod(pod, { ...around, tail: '', now }))
  if (ofCluster.has(byCluster.class)) {
    const isLost = byCluster.confidence !== 'unknown' && (known.isAround || byCluster.confidence === 'proven')
    return { pod, verdict: byCluster, job, isLost }
  }
  const verdict = classifyDeath(endingOfPod(pod, { ...around, tail, now }), {
    job: job === null ? null : jobReportOf(job, forge.jobs.at),
    ring: null,
  })
  const hadJob = job !== null && job.conclusion !== 'success'
  const isLost = known.isJob && hadJob && ofJob.has(verdict.class) && verdict.confidence !== 'unknown'
  return { pod, verdict, job, isLost }
}

function isRunner({ joins }: AuditInput, pod: PodFact): boolean {
  return pod.owner?.kind === 'EphemeralRunner' || setOfPod(joins, pod) !== null
}

function nodeOf({ snapshot, joins }: AuditInput, pod: PodFact): NodeFact | 'gone' | null {
  if (pod.node === null) return null
  return joins.nodeByName.get(pod.node) ?? (isAbsenceKnown(snapshot, pod) ? 'gone' : null)
}

/**
 * Whether a node that is not listed is gone: not where only some nodes were read, nor where the list is empty, which no
 * cluster with pods has, nor for a pod that came to a new node after nodes were read.
 */
function isAbsenceKnown({ cluster, scope }: AuditInput['snapshot'], { startedAt }: PodFact): boolean {
  const { nodes } = cluster
  if (!isWhole(nodes) || scope.nodes !== null || nodes.items.length === 0) return false
  return startedAt !== null && startedAt < nodes.at
}

function hasEnded({ phase, statuses }: PodFact, node: NodeFact | 'gone' | null): boolean {
  if (phase === 'Failed' || phase === 'Succeeded') return true
  if (statuses.some(({ name, state }) => name === 'runner' && state?.kind === 'terminated')) return true
  if (node === null || node === 'gone') return node === 'gone'
  return node.conditions.some(({ type, status }) => type === 'Ready' && status !== 'True')
}

/** Exit code 0 and no job that is open: the daily end of a runner. */
function isPlainlyDone({ phase, statuses }: PodFact, job: ForgeJobFact | null): boolean {
  if (phase === 'Failed' || (job !== null && job.status !== 'completed')) return false
  const state = statuses.find(({ name }) => name === 'runner')?.state
  return state?.kind === 'terminated' && state.exitCode === 0
}

function tailsOf({ snapshot }: AuditInput): ReadonlyMap<string, string> {
  const { items } = snapshot.cluster.runnerLogs
  return new Map(items.map(({ pod, lines }) => [keyOf(pod), lines.join('\n')]))
}
