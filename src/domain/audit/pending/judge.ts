import { counted, durationText } from '../../format.ts'
import type { AuditInput } from '../audit.ts'
import type { AuditTable, Finding, Judgement } from '../finding.ts'
import { evidenceOf, findingOf, someOf, subjectOf, unjudgedBy } from '../judging.ts'
import { autoscalersAtMax, isAtMax } from './autoscalers.ts'
import { causeTexts, classOf, hpaAtMax, pendingClasses } from './classes.ts'
import { type WaitingPod, waitingPods } from './waiting-pods.ts'

/** A representative message is read by people; schedulers' longest are shorter. */
const messageCharsMax = 600
/** Classes that events alone can show, or rule out. */
const byEvents = pendingClasses.filter(({ name }) =>
  ['volume-waiting', 'sandbox-waiting', 'start-unexplained'].includes(name),
)

/** Pods of one namespace that wait for the same cause, and the one that waits longest. */
interface Group {
  readonly pods: WaitingPod[]
  oldest: WaitingPod
}

/** One finding for each cause and namespace, with a count and the message of the pod that waits longest. */
export function judgePending(input: AuditInput): Judgement {
  const { pods, events, autoscalers, scaleSets } = input.snapshot.cluster
  const { waiting, unclear } = waitingPods(input)
  const groups = grouped(waiting)
  return {
    findings: [...groups.map((group) => findingOfGroup(input, group)), ...autoscalersAtMax(input)],
    unjudged: [
      ...unjudgedBy(pendingClasses, pods),
      ...(unclear > 0 ? unjudgedBy(byEvents, events) : []),
      ...unjudgedBy([hpaAtMax], autoscalers),
      ...(autoscalers.items.some(isAtMax)
        ? [scaleSets, input.snapshot.forge.jobs].flatMap((listing) => unjudgedBy([hpaAtMax], listing))
        : []),
    ],
    tables: groups.length === 0 ? [] : [tableOf(input, groups)],
  }
}

function grouped(waiting: readonly WaitingPod[]): readonly Group[] {
  const groups = new Map<string, Group>()
  for (const pod of waiting) {
    const key = `${pod.cause} ${pod.namespace}`
    const group = groups.get(key)
    if (group === undefined) {
      groups.set(key, { pods: [pod], oldest: pod })
      continue
    }
    group.pods.push(pod)
    if (isOlder(pod, group.oldest)) group.oldest = pod
  }
  return [...groups.values()]
}

function isOlder(one: WaitingPod, other: WaitingPod): boolean {
  return (one.since ?? Infinity) < (other.since ?? Infinity)
}

function findingOfGroup({ snapshot }: AuditInput, { pods, oldest }: Group): Finding {
  const { cause, namespace } = oldest
  const { severity, title, next } = causeTexts[cause]
  const listing = snapshot.cluster.pods
  const names = [...new Set(pods.map(({ name }) => name))]
  return findingOf(classOf(cause), {
    severity,
    subject: subjectOf('namespace', { namespace, name: namespace }),
    confidence: pods.some(({ isStated }) => isStated) ? 'proven' : 'likely',
    summary: `${counted(names.length, 'pod')} in ${namespace}: ${lowerFirst(title)}.`,
    evidence: [
      evidenceOf(listing, `${oldest.name}: ${oldest.message.slice(0, messageCharsMax)}`, oldest.since),
      evidenceOf(listing, `pods: ${someOf(names)}`),
    ],
    nextAllowedAction: next,
  })
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

function tableOf({ snapshot }: AuditInput, groups: readonly Group[]): AuditTable {
  return {
    title: 'Pods that wait, by cause',
    columns: ['cause', 'namespace', 'pods', 'longest', 'its message'],
    rows: groups.map(({ pods, oldest }) => [
      oldest.cause,
      oldest.namespace,
      String(pods.length),
      oldest.since === null ? 'unknown' : durationText(snapshot.takenAt - oldest.since),
      oldest.message.slice(0, messageCharsMax),
    ]),
  }
}
