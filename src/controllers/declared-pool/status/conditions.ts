import { type Incident, type IncidentKind, incidentTable } from '../../../domain/incident/index.ts'
import { remedyOf, type StartProblem } from '../../../domain/pool/index.ts'
import type { DeclaredPool, PoolCondition, PoolStatus } from '../../../ports/declared-pools.ts'
import type { LingeringStray } from '../../pool/start-problems.ts'

/** The facts from which a pool's conditions follow. */
export interface PoolFacts {
  readonly pool: DeclaredPool
  readonly counts: Pick<PoolStatus, 'queued' | 'idle' | 'busy' | 'starting' | 'leaving' | 'desired'>
  /** Runners that were made from an earlier version of the pool. */
  readonly outdated: number
  readonly problem: StartProblem | null
  /** Strays that do not leave by themselves. */
  readonly strays: readonly LingeringStray[]
  /** Open incidents; they concern every pool, because a pool serves every account. */
  readonly incidents: readonly Incident[]
}

const straysNamedMax = 5
const strayRemedy =
  'Look at its log, and delete its pod where it hangs: how it ends is put on record all the same.'

/** An incident at the forge, as the reason of a condition. */
function forgeReason(kind: IncidentKind): string {
  return kind.startsWith('runner-group-') ? 'LabelUnreachable' : 'ForgeUnauthorized'
}

type Finding = Pick<PoolCondition, 'reason' | 'message'>

/** Ready, Progressing and Degraded, each with a reason that a person understands and with what to do. */
export function conditionsOf(facts: PoolFacts): readonly PoolCondition[] {
  const hindrances = hindrancesOf(facts)
  return [readyOf(facts, hindrances), progressingOf(facts), degradedOf([...hindrances, ...straysIn(facts)])]
}

/** The findings that keep a pool from its work, the gravest first. */
function hindrancesOf({ pool, problem, incidents }: PoolFacts): readonly Finding[] {
  const found: Finding[] = []
  if (pool.declared.kind === 'wrong') {
    const message = `It cannot be used as it is written, and stays as it was before: ${pool.declared.problems.join('; ')}`
    found.push({ reason: 'InvalidSpec', message })
  }
  if (problem !== null) {
    found.push({ reason: problem.kind, message: `${sentence(problem.message)} ${remedyOf(problem.kind)}` })
  }
  for (const { kind, key, reason } of incidents) {
    const { title, todo } = incidentTable[kind]
    found.push({ reason: forgeReason(kind), message: `${key}: ${title} (${reason}) ${todo}` })
  }
  return found
}

/** Strays take room, and keep no job waiting. */
function straysIn({ strays }: PoolFacts): readonly Finding[] {
  if (strays.length === 0) return []
  const named = strays.slice(0, straysNamedMax).map(({ message }) => message)
  const more = strays.length - named.length
  const message = [...named, ...(more > 0 ? [`So it is with ${more} more.`] : []), strayRemedy].join(' ')
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
  // A problem that leaves runners to serve the jobs only degrades the pool.
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

/** Messages of the cluster often lack a full stop, and another sentence follows. */
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

/** The API server's bound for the message of a condition, with room to spare. */
const messageCharsMax = 4_000
