import { ageText, decisionText, decisionView, type Explanation, groupDecisions, iso } from '../api/index.ts'
import type { Attempt } from '../domain/attempt/index.ts'
import { type HostRing, type JobAtEnd, judgeLiving, type Verdict } from '../domain/death/index.ts'
import { isOpen } from '../domain/job/index.ts'
import { isLive, type Runner } from '../domain/runner/index.ts'
import type { Instant } from '../domain/time.ts'
import type { DecisionRow, RingOf } from '../ports/ledger.ts'
import { compose } from './compose.ts'
import { attemptItems, endingItems, forgeItems, type Item, item, ringItems } from './evidence/index.ts'
import type { Found } from './find.ts'
import { isReached, judgeAnew } from './judge.ts'
import { lastWord } from './last-word.ts'
import { endingMoments, forgeMoments, ledgerMoments, ringMoments } from './moments/index.ts'
import { type Sealed, sealedDeath } from './sealed.ts'
import { oneLine } from './words.ts'

export interface KnownHere extends Found {
  readonly asked: string
  readonly now: Instant
  /** Of the pod that the death record names; null where the agent saw nothing of it. */
  readonly ring: HostRing | null
}

/** Earlier attempts of a job whose ends are told beside the newest. */
const EARLIER_MAX = 5

/** How the runner of a subject ended, by all that the ledger has of it. */
export function explainKnown(known: KnownHere): Explanation {
  const { job, runner, now } = known
  const attempt = focusOf(known)
  const sealed = sealedOf(known)
  const word = attempt === null || job === null ? null : lastWord(attempt, job)
  const ring = known.ring ?? sealed?.record.ring ?? null
  const verdict =
    sealed === null ? livingVerdict(known, word, ring) : judgeAnew(sealed.record, { job: word, ring })
  const ending = sealed?.record.ending ?? null
  return compose({
    ...{ now, verdict, sealed, ending, ring },
    subject: { asked: known.asked, kind: known.kind, title: titleOf(known, attempt) },
    job: jobView(known),
    runner: runnerView(known, attempt),
    pod: ending?.pod?.place ?? null,
    standing: standingOf(known, attempt, sealed, verdict),
    items: [
      ...(ending === null ? [] : endingItems(ending)),
      ...ringItems(ring),
      ...forgeItems(word, sealed?.record.job ?? null),
      ...attemptItems(attempt),
      ...earlierItems(known, attempt),
      ...recordItems(sealed),
    ],
    moments: [
      ...forgeMoments(job?.job ?? null),
      ...ledgerMoments([...(job?.timeline ?? []), ...(runner?.timeline ?? [])]),
      ...endingMoments(ending),
      ...ringMoments(ring),
    ],
    did: didOf([...(job?.decisions ?? []), ...(runner?.decisions ?? [])]),
    unknown: unknownOf(known, attempt, sealed),
    nextSteps: stepsOf(known, verdict),
  })
}

/** Of a runner that lives: whether the forge gave it up meanwhile. */
function livingVerdict(
  { runner, now }: KnownHere,
  job: JobAtEnd | null,
  ring: HostRing | null,
): Verdict | null {
  if (runner === null || !isLive(runner.runner)) return null
  return judgeLiving({ job, ring }, now)
}

/** Under which the agent's samples are kept: the UID of its pod, or the name of a runner that is a process. */
export function ringKeyOf(found: Found): RingOf | null {
  const place = sealedOf(found)?.record.ending?.pod?.place ?? null
  const podUid = (place === null ? found.runner?.runner.name : place.uid) || null
  return podUid === null ? null : { podUid, node: place?.node ?? null }
}

/** The attempt whose runner is explained: the newest. */
function focusOf({ job, runner, kind }: Found): Attempt | null {
  if (kind === 'job') return job?.attempts.at(-1) ?? null
  return runner?.attempts.at(-1)?.attempt ?? null
}

function runnerIdOf(found: Found): number | null {
  return found.runner?.runner.id ?? focusOf(found)?.runnerId ?? null
}

function sealedOf(found: Found): Sealed | null {
  const id = runnerIdOf(found)
  if (id === null) return null
  return sealedDeath([...(found.runner?.evidence ?? []), ...(found.job?.evidence ?? [])], id)
}

function titleOf({ job, runner, kind }: Found, attempt: Attempt | null): string {
  const of = job === null ? '' : `job ${job.job.id}, ${job.job.repository} · ${job.job.name}`
  if (kind === 'job') return of.replace(/^j/, 'J')
  const name = runner?.runner.name ?? attempt?.forgeRunnerName ?? ''
  return of === '' ? `Runner ${name}` : `Runner ${name}, given ${of}`
}

function jobView({ job }: Found): Explanation['job'] {
  if (job === null) return null
  const { id, installation, forgeJobId, repository, name, state, conclusion } = job.job
  return {
    ...{ id, forge: `${installation}:${forgeJobId}`, repository: oneLine(repository), name: oneLine(name) },
    state: conclusion === null ? state : `${state} (${conclusion})`,
    said: null,
  }
}

function runnerView({ runner }: Found, attempt: Attempt | null): Explanation['runner'] {
  if (runner !== null) {
    const { name, pool, state } = runner.runner
    return { name: attempt?.forgeRunnerName ?? name, pool, state }
  }
  return attempt === null ? null : { name: attempt.forgeRunnerName, pool: null, state: 'not known any more' }
}

function standingOf(
  known: KnownHere,
  attempt: Attempt | null,
  sealed: Sealed | null,
  verdict: Verdict | null,
): string {
  const { job, runner, now } = known
  const ago = (at: Instant) => `${ageText(iso(at), iso(now))} ago`
  if (runner === null && attempt === null) return withoutRunner(known)
  if (sealed !== null) {
    const { ending } = sealed.record
    return `The runner ended ${ago(ending?.endedAt || sealed.at)}, and its death is on record.`
  }
  if (runner !== null && isLive(runner.runner)) {
    const over = verdict === null ? 'nothing has ended' : 'the forge ended its job, and it lives on'
    return `${livingText(runner.runner, ago)}: ${over}.`
  }
  const over =
    job !== null && !isOpen(job.job) ? ` The job is over: ${job.job.conclusion ?? job.job.state}.` : ''
  return `No record of the end of the runner is here.${over}`
}

function livingText({ state, polledAt, createdAt, fencedAt }: Runner, ago: (at: Instant) => string): string {
  const since = fencedAt ?? polledAt ?? createdAt
  return `The runner lives (${state}, last heard of ${ago(since)})`
}

function withoutRunner({ job }: Found): string {
  if (job === null) return 'Nothing is known of it.'
  const { executor, state, conclusion } = job.job
  if (executor !== null)
    return `The forge says that it ran on ${executor}, which is no runner of this Holdfast.`
  if (state === 'queued') return 'It is queued: no runner was given it yet.'
  return `It is over (${conclusion ?? state}), and no runner of this Holdfast was ever given it.`
}

/** How the runners of earlier attempts ended. */
function earlierItems({ job, kind }: Found, attempt: Attempt | null): Item[] {
  if (job === null || kind !== 'job') return []
  const earlier = job.attempts.filter(({ id }) => id !== attempt?.id).slice(-EARLIER_MAX)
  return earlier.map(({ id, forgeRunnerName, runnerId, endReason, endedAt }) => {
    const record = sealedDeath(job.evidence, runnerId)?.record
    const how = record === undefined ? (endReason ?? 'open') : `${record.class}, ${record.confidence}`
    return item('ledger', endedAt, `Attempt ${id} before it, on ${forgeRunnerName}: ${how}.`)
  })
}

function recordItems(sealed: Sealed | null): Item[] {
  if (sealed === null) return []
  const whole = sealed.record.outcome === 'complete' ? 'complete' : 'incomplete'
  return [item('ledger', sealed.at, `The death record was sealed, ${whole}.`)]
}

function didOf(rows: readonly DecisionRow[]): Explanation['did'] {
  const once = [...new Map(rows.map((row) => [row.id, row])).values()].sort((a, b) => a.id - b.id)
  return groupDecisions(once.map(decisionView)).map(({ first, count, lastAt }) => ({
    ...{ at: first.at, rule: first.rule, text: oneLine(decisionText(first)), why: first.why, count, lastAt },
  }))
}

function unknownOf({ runner }: Found, attempt: Attempt | null, sealed: Sealed | null): string[] {
  if (sealed !== null) return []
  const isGone = runner === null ? attempt !== null : !isLive(runner.runner)
  return isGone ? ['how the runner ended: its death record is not here, or not any more'] : []
}

/** What an operator can do, after what the verdict says. */
function stepsOf({ job }: Found, verdict: Verdict | null): string[] {
  if (job === null) return []
  const { id, state, conclusion, executor } = job.job
  const foreign = job.attempts.length === 0 && executor !== null
  if (foreign) return [`If ${executor} is a pod: holdfast explain --namespace <namespace> ${executor}`]
  if (state === 'queued') return [`Why it waits: holdfast why ${id}`]
  const isBad = state === 'lost' || (conclusion !== null && conclusion !== 'success')
  const isWorthIt = isBad && isReached(verdict) && verdict?.class !== 'clean'
  return [
    ...(isWorthIt ? [`Once the cause is gone, run it again: holdfast rerun ${id}`] : []),
    `All rows of the job: holdfast job ${id}; its log at the forge: holdfast log ${id}`,
  ]
}
