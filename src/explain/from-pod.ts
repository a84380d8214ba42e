import { ageText, type Explanation, iso } from '../api/index.ts'
import { classifyDeath, type JobAtEnd, type PodEvent } from '../domain/death/index.ts'
import type { Instant } from '../domain/time.ts'
import type { ForeignRunner, MakerWord } from '../ports/foreign-runner.ts'
import { compose } from './compose.ts'
import { endingItems, forgeItems, type Item, item } from './evidence/index.ts'
import { endingMoments, eventMoments, type Moment, moment } from './moments/index.ts'
import { oneLine } from './words.ts'

/** How a runner that is not ours ended, from its cluster alone, with what that cannot tell. */
export function explainForeign(
  runner: ForeignRunner,
  asked: string,
  now: Instant,
  said: Explanation | null = null,
): Explanation {
  const { ending, maker, state } = runner
  const word = wordOf(said)
  const isToJudge = ending !== null && (state === 'ended' || ending.pod?.trouble != null)
  return compose({
    ...{ now, ending, ring: null, sealed: null, did: [] },
    subject: { asked, kind: 'pod', title: `Pod ${runner.namespace}/${runner.pod}` },
    job: said?.job ?? jobOf(maker),
    runner: { name: maker?.name ?? runner.pod, pool: null, state },
    pod: ending?.pod?.place ?? null,
    standing: standingOf(runner, now),
    verdict: isToJudge ? classifyDeath(ending, { job: word, ring: null }) : null,
    items: [
      ...(ending === null ? [] : endingItems(ending)),
      ...runner.events.filter(isTelling).map(eventItem),
      ...makerItems(maker),
      ...forgeItems(word, null),
    ],
    moments: [
      ...saidMoments(said),
      ...makerMoments(maker),
      ...endingMoments(ending),
      ...runner.events.flatMap(eventMoments),
    ],
    unknown: unknownOf(runner, said),
    nextSteps: stepsOf(runner),
  })
}

/** Events that tell of an end; of a pod that is gone nothing else may. */
const telling: ReadonlySet<string> = new Set(['Killing', 'Preempted', 'Evicted', 'TaintManagerEviction'])

function isTelling({ type, reason }: PodEvent): boolean {
  return type === 'Warning' || telling.has(reason)
}

function eventItem({ type, reason, message, lastAt }: PodEvent): Item {
  return item('cluster', lastAt, `${type === 'Warning' ? 'Warning ' : ''}${reason}: ${message}`)
}

/** What the forge said, as a record has it: no attempt of ours is behind it. */
function wordOf(said: Explanation | null): JobAtEnd | null {
  const { repository = '', said: word = null } = said?.job ?? {}
  if (said === null || word === null) return null
  const { forgeJobId, status, conclusion, startedAt, completedAt } = word
  const isOver = status === 'completed'
  return {
    ...{ jobId: 0, attemptId: 0, forgeJobId, repository, forgeStatus: status, conclusion },
    ...{ attemptState: isOver ? 'ended' : 'running', heardAt: Date.parse(said.at) },
    startedAt: startedAt === null ? null : Date.parse(startedAt),
    ...(completedAt !== null && { forgeCompletedAt: Date.parse(completedAt) }),
  }
}

function saidMoments(said: Explanation | null): Moment[] {
  return (said?.timeline ?? []).flatMap(({ at, source, text }) => moment(Date.parse(at), source, text))
}

function jobOf(maker: MakerWord | null): Explanation['job'] {
  if (maker?.job == null) return null
  const { repository, name, runId } = maker.job
  return {
    ...{ id: null, forge: runId === null ? 'run not known' : `run ${runId}` },
    ...{ repository: oneLine(repository), name: oneLine(name), state: 'not asked at the forge', said: null },
  }
}

function standingOf({ state, ending }: ForeignRunner, now: Instant): string {
  if (state === 'gone') return 'The pod is gone, and no record of its end was sealed.'
  if (ending?.pod?.trouble != null && state === 'running') return 'The pod is there and does not get going.'
  const leaving = ending?.pod?.deletedAt ?? null
  if (state === 'running' && leaving !== null)
    return `The pod was asked to go ${ageText(iso(leaving), iso(now))} ago, and has not ended yet.`
  if (state === 'running') return 'The pod is there and has not ended: nothing is to be explained yet.'
  const age = ending === null ? '' : ` ${ageText(iso(ending.endedAt), iso(now))} ago`
  return `The pod ended${age} and is still there; no record of its end was sealed.`
}

function makerItems(maker: MakerWord | null): Item[] {
  if (maker === null) return []
  const { kind, name, phase, reason, message, failures } = maker
  const said = [reason, message].filter(Boolean).join(': ')
  const last = failures.at(-1)
  return [
    ...(phase === null && said === ''
      ? []
      : [item('cluster', null, `${kind} ${name} is ${phase ?? 'there'}${said === '' ? '.' : `: ${said}`}`)]),
    ...(last === undefined
      ? []
      : [
          item(
            'cluster',
            last.at,
            `${kind} ${name} counts ${failures.length} failed ${failures.length === 1 ? 'pod' : 'pods'}.`,
          ),
        ]),
  ]
}

function makerMoments(maker: MakerWord | null): Moment[] {
  if (maker === null) return []
  const { kind, name, createdAt, deletedAt, failures } = maker
  return [
    ...moment(createdAt, 'cluster', `${kind} ${name} was made.`),
    ...failures.flatMap(({ podUid, at }) =>
      moment(at, 'cluster', `${kind} ${name}: its pod ${podUid} failed.`),
    ),
    ...moment(deletedAt, 'cluster', `Somebody asked that ${kind} ${name} goes.`),
  ]
}

function unknownOf({ state, maker, missing }: ForeignRunner, said: Explanation | null): string[] {
  return [
    ...missing.map((what) => `not read: ${what}`),
    ...(state === 'gone'
      ? ['its exit code, its containers and its log: they went with the pod']
      : [
          'what was there and is not any more: no record was sealed when it ended, only what is left was read',
        ]),
    'who asked it to stop, if somebody did: Holdfast does not run this runner',
    ...(maker?.job == null && said === null ? ['which job it had'] : []),
    ...(said === null ? ['what the forge says about its job: it was not asked'] : []),
  ]
}

function stepsOf({ state, maker }: ForeignRunner): string[] {
  const steps: string[] = []
  if (state === 'gone') {
    steps.push('Look for its last lines in a log store, and in the log of the controller that made it.')
    steps.push('To have the reason on record next time, let Holdfast run these runners: docs/design/fleet.md')
  }
  if (maker?.job?.runId != null)
    steps.push(`What the forge says: https://<forge>/${maker.job.repository}/actions/runs/${maker.job.runId}`)
  return steps
}
