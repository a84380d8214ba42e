import { bytes, counted } from '../../format.ts'
import type { ContainerStatusFact, PodFact, ScaleSetFact } from '../../snapshot/index.ts'
import type { Instant } from '../../time.ts'
import type { AuditInput } from '../audit.ts'
import { type DeclaredLane, placeText } from '../contract/contract.ts'
import type { Finding, NextAction } from '../finding.ts'
import { setOfPod } from '../joins.ts'
import { commandWith, evidenceOf, findingOf, someOf, subjectOf } from '../judging.ts'
import { laneFinder } from '../lane-of-set.ts'
import { podFilter } from '../narrowing.ts'
import { containerOom, laneCgroupOom } from './classes.ts'

/** An older kill is history: a lane may have changed since. */
const recentMs = 24 * 60 * 60_000

interface Kill {
  readonly pod: PodFact
  readonly container: string
  readonly at: Instant | null
  /** Null: the container has no limit of its own. */
  readonly limitBytes: number | null
}

/** Containers that were OOM-killed, by namespace; and where the limit was the lane's own, by scale set. */
export function oomKills(input: AuditInput): readonly Finding[] {
  const isAskedFor = podFilter(input)
  const kills = input.snapshot.cluster.pods.items.flatMap((pod) =>
    isAskedFor(pod) ? killsOf(pod, input.snapshot.takenAt) : [],
  )
  const byNamespace = Map.groupBy(kills, ({ pod }) => pod.namespace)
  return [
    ...[...byNamespace].map(([namespace, group]) => killFinding(input, namespace, group)),
    ...killsAtEnvelope(input, kills),
  ]
}

function killsAtEnvelope(input: AuditInput, kills: readonly Kill[]): readonly Finding[] {
  const laneOf = laneFinder(input.contract)
  const bySet = Map.groupBy(kills, ({ pod }) => setOfPod(input.joins, pod) ?? '')
  return [...bySet].flatMap(([key, group]) => {
    const set = input.joins.setByKey.get(key)
    const lane = set === undefined ? null : laneOf(set)
    const own = set === undefined ? [] : group.filter((kill) => isEnvelope(kill, set, lane))
    return set === undefined || own.length === 0 ? [] : [laneFinding(input, set, lane, own)]
  })
}

function killsOf(pod: PodFact, now: Instant): readonly Kill[] {
  return pod.statuses.flatMap((status) => {
    const end = endByOom(status)
    if (end === null || (end.finishedAt !== null && now - end.finishedAt > recentMs)) return []
    const spec = pod.containers.find(({ name }) => name === status.name)
    return [{ pod, container: status.name, at: end.finishedAt, limitBytes: spec?.limits.memory ?? null }]
  })
}

function endByOom({ state, lastState }: ContainerStatusFact): { readonly finishedAt: Instant | null } | null {
  return [state, lastState].find((each) => each?.kind === 'terminated' && each.reason === 'OOMKilled') ?? null
}

/** Whether the limit is what the template says, and the contract where it says something. */
function isEnvelope({ container, limitBytes }: Kill, set: ScaleSetFact, lane: DeclaredLane | null): boolean {
  const template = set.template.containers.find(({ name }) => name === container)?.limits.memory
  const declared = lane?.containers.find(({ name }) => name === container)?.limits.memory
  return limitBytes !== null && limitBytes === template && limitBytes === (declared ?? limitBytes)
}

function killFinding(input: AuditInput, namespace: string, kills: readonly Kill[]): Finding {
  const { pods } = input.snapshot.cluster
  const newest = kills.reduce((last, kill) => ((kill.at ?? 0) > (last.at ?? 0) ? kill : last))
  const limit = newest.limitBytes === null ? 'no limit of its own' : `a limit of ${bytes(newest.limitBytes)}`
  return findingOf(containerOom, {
    severity: 'warning',
    subject: subjectOf('namespace', { namespace, name: namespace }),
    confidence: 'proven',
    summary: `${namespace} had ${counted(kills.length, 'container')} killed for memory.`,
    evidence: [
      evidenceOf(pods, `${newest.pod.name}: ${newest.container} was OOMKilled with ${limit}`, newest.at),
      evidenceOf(pods, `in ${someOf(kills.map(({ pod, container }) => `${pod.name} (${container})`))}`),
      ...jobWords(input, kills),
    ],
    nextAllowedAction: {
      kind: 'read',
      text: 'See the whole end of the newest one, with its job.',
      command: commandWith('holdfast triage', newest.pod.name),
    },
  })
}

function jobWords({ snapshot, joins }: AuditInput, kills: readonly Kill[]) {
  const repositories = kills.flatMap(({ pod }) => {
    const own = joins.runnerByKey.get(`${pod.namespace}/${pod.name}`)?.job?.repository
    const repository = own ?? joins.jobsByRunner.get(pod.name)?.at(-1)?.repository
    return repository === undefined || repository === null ? [] : [repository]
  })
  if (repositories.length === 0) return []
  return [evidenceOf(snapshot.cluster.runners, `jobs of ${someOf([...new Set(repositories)])}`)]
}

function laneFinding(
  { snapshot }: AuditInput,
  set: ScaleSetFact,
  lane: DeclaredLane | null,
  kills: readonly Kill[],
): Finding {
  const limits = someOf([...new Set(kills.map(({ limitBytes }) => bytes(limitBytes ?? 0)))])
  const place = lane === null ? null : placeText(lane, 'containers')
  return findingOf(laneCgroupOom, {
    severity: 'warning',
    subject: subjectOf('scale-set', set),
    confidence: 'proven',
    summary: `${set.name} had ${counted(kills.length, 'container')} killed at the lane's own limit of ${limits}.`,
    evidence: [
      evidenceOf(snapshot.cluster.scaleSets, `the template of ${set.name} gives ${limits}`),
      ...(place === null ? [] : [{ source: 'file' as const, at: null, text: `declared at ${place}` }]),
    ],
    nextAllowedAction: nextLane(lane),
  })
}

function nextLane(lane: DeclaredLane | null): NextAction {
  const where = lane === null ? null : placeText(lane, 'containers')
  const source = where ?? 'its source'
  const afterOom = lane?.afterOom ?? null
  const text =
    afterOom === null
      ? `Raise the envelope in ${source} if it recurs, or declare a lane for heavy work in the contract.`
      : `Move work that recurs to the lane ${afterOom}, or change the envelope in ${source}.`
  return { kind: 'person', text, command: null }
}
