import { type Incident, type IncidentKind, incidentTable } from '../../../domain/incident/index.ts'
import type { Trouble, TroubleKind } from '../../../domain/pool/index.ts'
import type { DeclaredPool, PoolCondition, PoolStatus } from '../../../ports/declared-pools.ts'
import type { LingeringStray } from '../../pool/trouble-board.ts'

/** All that a pool's conditions follow from. */
export interface PoolFacts {
  readonly pool: DeclaredPool
  readonly counts: Pick<PoolStatus, 'queued' | 'idle' | 'busy' | 'starting' | 'leaving' | 'desired'>
  /** Runners that were made from what the pool said before. */
  readonly outdated: number
  readonly trouble: Trouble | null
  /** Runners that nobody counts on and that do not go by themselves. */
  readonly strays: readonly LingeringStray[]
  /** Open ones; they concern every pool, because a pool serves every account. */
  readonly incidents: readonly Incident[]
}

/** What a person can do about each. */
const remedies: Readonly<Record<TroubleKind, string>> = {
  ImagePull: 'Check the name of the image and the pull secret.',
  ConfigError: 'Check the command, and the keys and volumes that the template names.',
  SandboxFailed: 'Check the runtime class, the network and the volumes on the node.',
  NodeSilent: 'Look at the kubelet and the container runtime of the node.',
  HoldfastUnreachable:
    'Check that pods reach Holdfast at fleet.serverUrl; the log of their container poller (in the single shape: runner) says why they do not.',
  NoHealthyNode: 'Add nodes, or ask for less, or correct selectors and tolerations in the template.',
  QuotaExceeded: 'Raise the quota of the namespace, or lower maxRunners or the resources of the pool.',
  TemplateRefused: 'Correct the template as the message says.',
  RunnerOutdated: 'Put a newer version of the runner into the image of the pool.',
}

const STRAYS_NAMED_MAX = 5
const STRAY_REMEDY =
  'Look at its log, and delete its pod where it hangs: how it ends is put on record all the same.'

/** An incident at the forge, in the words of a pool's conditions. */
function forgeReason(kind: IncidentKind): string {
  return kind.startsWith('runner-group-') ? 'LabelUnreachable' : 'ForgeUnauthorized'
}

type Finding = Pick<PoolCondition, 'reason' | 'message'>

/** Ready, Progressing and Degraded, each with a reason that a person understands and with what to do. */
export function conditionsOf(facts: PoolFacts): readonly PoolCondition[] {
  const hindrances = hindrancesOf(facts)
  return [readyOf(facts, hindrances), progressingOf(facts), degradedOf([...hindrances, ...straysIn(facts)])]
}

/** What keeps a pool from doing what it promises, the gravest first. */
function hindrancesOf({ pool, trouble, incidents }: PoolFacts): readonly Finding[] {
  const found: Finding[] = []
  if (pool.declared.kind === 'wrong') {
    const message = `It cannot be used as it is written, and stays as it was before: ${pool.declared.problems.join('; ')}`
    found.push({ reason: 'InvalidSpec', message })
  }
  if (trouble !== null) {
    found.push({ reason: trouble.kind, message: `${sentence(trouble.message)} ${remedies[trouble.kind]}` })
  }
  for (const { kind, key, reason } of incidents) {
    const { title, todo } = incidentTable[kind]
    found.push({ reason: forgeReason(kind), message: `${key}: ${title} (${reason}) ${todo}` })
  }
  return found
}

/** They take room, and keep no job waiting. */
function straysIn({ strays }: PoolFacts): readonly Finding[] {
  if (strays.length === 0) return []
  const named = strays.slice(0, STRAYS_NAMED_MAX).map(({ message }) => message)
  const more = strays.length - named.length
  const message = [...named, ...(more > 0 ? [`So it is with ${more} more.`] : []), STRAY_REMEDY].join(' ')
  return [{ reason: 'StrayRunner', message }]
}

function readyOf({ pool, counts }: PoolFacts, hindrances: readonly Finding[]): PoolCondition {
  if (pool.isLeaving) {
    const message = 'It was deleted: jobs in progress finish, and then it goes.'
    return { type: 'Ready', isTrue: false, reason: 'Leaving', message }
  }
  const [first] = hindrances
  const { idle, busy, queued } = counts
  const runs = `${idle} idle and ${busy} busy runners, ${queued} jobs wait.`
  // Troubles that leave runners to serve the jobs are no more than degraded service.
  const serves = pool.declared.kind === 'pool' && idle + busy > 0
  if (first === undefined || serves) return { type: 'Ready', isTrue: true, reason: 'Ready', message: runs }
  return { type: 'Ready', isTrue: false, ...first }
}

function progressingOf({ pool, counts, outdated }: PoolFacts): PoolCondition {
  const { starting, leaving } = counts
  const progress = (reason: string, message: string): PoolCondition => ({
    type: 'Progressing',
    isTrue: true,
    reason,
    message,
  })
  if (pool.isLeaving) return progress('Draining', 'Its last runners are leaving.')
  if (outdated > 0)
    return progress('Rolling', `${runnersAre(outdated)} replaced because the pool was changed.`)
  if (starting > 0) return progress('Starting', `${runnersAre(starting)} starting.`)
  if (leaving > 0) return progress('Shrinking', `${runnersAre(leaving)} leaving.`)
  return { type: 'Progressing', isTrue: false, reason: 'Settled', message: 'It is as it ought to be.' }
}

function runnersAre(count: number): string {
  return count === 1 ? '1 runner is' : `${count} runners are`
}

/** What the cluster says often has no end, and another sentence follows it. */
function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

function degradedOf(hindrances: readonly Finding[]): PoolCondition {
  const [first] = hindrances
  if (first === undefined) {
    return { type: 'Degraded', isTrue: false, reason: 'AsExpected', message: 'Nothing is wrong.' }
  }
  const message = hindrances.map((one) => one.message).join(' ')
  return { type: 'Degraded', isTrue: true, reason: first.reason, message: message.slice(0, messageCharsMax) }
}

/** What the cluster's own rules allow to a condition, with room to spare. */
const messageCharsMax = 4_000
