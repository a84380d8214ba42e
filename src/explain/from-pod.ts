import { type ApiAttempts, durationText, type Explanation } from '../api/index.ts'
import { classifyDeath, type JobReport, type PodEvent, type Verdict } from '../domain/death/index.ts'
import type { Instant } from '../domain/time.ts'
import { endingEntries, eventEntries, objectEntries } from '../domain/timeline/index.ts'
import type { ForeignRunner, OwnerStatus } from '../ports/foreign-runner.ts'
import { compose } from './compose.ts'
import { type EvidenceItem, endingItems, evidenceItem, forgeItems } from './evidence/index.ts'
import type { ForgeJobReport } from './forge-report.ts'
import {
  gitlabJobView,
  gitlabSteps,
  gitlabUnknown,
  gitlabVerdict,
  hasBuildEnded,
  inGitlabWords,
} from './gitlab-job.ts'

/** How a runner that is not ours ended: by its cluster, and by what the forge reported of its job. */
export function explainForeignRunner(
  runner: ForeignRunner,
  asked: string,
  now: Instant,
  reported: ForgeJobReport | null = null,
): Explanation {
  const { owner, state, gitlab = null } = runner
  const judged = runner.ending
  const ending = judged === null || gitlab === null ? judged : inGitlabWords(judged)
  const report = reported?.report ?? null
  const verdict = verdictOf(runner, report)
  const explanation = compose({
    now,
    ending,
    jobVerdict: null,
    ring: null,
    sealed: null,
    actionsTaken: [],
    subject: { asked, kind: 'pod', title: `Pod ${runner.namespace}/${runner.pod}` },
    job: reported?.job ?? (gitlab === null ? jobOf(owner) : gitlabJobView(gitlab)),
    runner: { name: owner?.name ?? runner.pod, pool: null, state },
    pod: ending?.pod?.place ?? null,
    summary: summaryOf(runner, now),
    verdict,
    evidence: [
      ...(ending === null ? [] : endingItems(ending)),
      ...runner.events.filter(isAboutEnd).map(eventItem),
      ...ownerItems(owner),
      ...forgeItems(report, null),
    ],
    timeline: [
      ...(reported?.timeline ?? []),
      ...(owner === null ? [] : objectEntries(owner)),
      ...endingEntries(ending),
      ...runner.events.flatMap(eventEntries),
    ],
    unknown: unknownOf(runner, reported),
    nextSteps: [...stepsOf(runner), ...(gitlab === null ? [] : gitlabSteps(gitlab, verdict))],
  })
  // The server has read the forge; its verdict about the job stands next to ours about the runner.
  return {
    ...explanation,
    jobVerdict: reported?.verdict ?? null,
    attempts: reported?.attempts
      ? placed(reported.attempts, runner.pod, ending?.pod?.place?.node ?? null)
      : null,
  }
}

/** The attempts, of which the one on this pod has its node: the forge knows none. */
function placed(given: ApiAttempts, pod: string, node: string | null): ApiAttempts {
  return {
    ...given,
    attempts: given.attempts.map((each) =>
      each.runner === pod ? { ...each, node: each.node ?? node } : each,
    ),
  }
}

function verdictOf(
  { ending, state, gitlab = null }: ForeignRunner,
  report: JobReport | null,
): Verdict | null {
  if (ending === null) return null
  const isOver = state === 'ended' || (gitlab !== null && hasBuildEnded(ending))
  if (!isOver && ending.pod?.trouble == null) return null
  const verdict = classifyDeath(ending, { job: report, ring: null })
  return gitlab === null ? verdict : gitlabVerdict(verdict, ending)
}

/** Reasons of events about an end; of a pod that is gone they may be the only evidence. */
const endReasons: ReadonlySet<string> = new Set(['Killing', 'Preempted', 'Evicted', 'TaintManagerEviction'])

function isAboutEnd({ type, reason }: PodEvent): boolean {
  return type === 'Warning' || endReasons.has(reason)
}

function eventItem({ type, reason, message, lastAt }: PodEvent): EvidenceItem {
  return evidenceItem('cluster', lastAt, `${type === 'Warning' ? 'Warning ' : ''}${reason}: ${message}`)
}

function jobOf(owner: OwnerStatus | null): Explanation['job'] {
  if (owner?.job == null) return null
  const { repository, name, runId } = owner.job
  return {
    id: null,
    forge: runId === null ? 'run not known' : `run ${runId}`,
    repository,
    name,
    state: 'not asked at the forge',
    said: null,
  }
}

function summaryOf({ state, ending }: ForeignRunner, now: Instant): string {
  if (state === 'gone') return 'The pod is gone, and no record of its end was sealed.'
  if (ending?.pod?.trouble != null && state === 'running') return 'The pod is there and does not get going.'
  const leaving = ending?.pod?.deletedAt ?? null
  if (state === 'running' && leaving !== null)
    return `The pod was asked to go ${durationText(now - leaving)} ago, and has not ended yet.`
  if (state === 'running') return 'The pod is there and has not ended: nothing is to be explained yet.'
  const age = ending === null ? '' : ` ${durationText(now - ending.endedAt)} ago`
  return `The pod ended${age} and is still there; no record of its end was sealed.`
}

function ownerItems(owner: OwnerStatus | null): EvidenceItem[] {
  if (owner === null) return []
  const { kind, name, phase, reason, message, failures } = owner
  const detail = [reason, message].filter(Boolean).join(': ')
  const last = failures.at(-1)
  return [
    ...(phase === null && detail === ''
      ? []
      : [
          evidenceItem(
            'cluster',
            null,
            `${kind} ${name} is ${phase ?? 'there'}${detail === '' ? '.' : `: ${detail}`}`,
          ),
        ]),
    ...(last === undefined
      ? []
      : [
          evidenceItem(
            'cluster',
            last.at,
            `${kind} ${name} counts ${failures.length} failed ${failures.length === 1 ? 'pod' : 'pods'}.`,
          ),
        ]),
  ]
}

function unknownOf(
  { state, owner, missing, gitlab = null }: ForeignRunner,
  reported: ForgeJobReport | null,
): string[] {
  return [
    ...missing.map((what) => `not read: ${what}`),
    ...(state === 'gone'
      ? ['its exit code, its containers and its log: they went with the pod']
      : [
          'what was there and is not any more: no record was sealed when it ended, only what is left was read',
        ]),
    'who asked it to stop, if somebody did: Holdfast does not run this runner',
    ...(gitlab === null ? [] : gitlabUnknown),
    ...(owner?.job == null && gitlab?.id == null && reported === null ? ['which job it had'] : []),
    ...(reported === null && gitlab === null ? ['what the forge says about its job: it was not asked'] : []),
  ]
}

function stepsOf({ state, owner }: ForeignRunner): string[] {
  const steps: string[] = []
  if (state === 'gone') {
    steps.push('Look for its last lines in a log store, and in the log of the controller that made it.')
    steps.push('To have the reason on record next time, let Holdfast run these runners: docs/design/fleet.md')
  }
  if (owner?.job?.runId != null)
    steps.push(`What the forge says: https://<forge>/${owner.job.repository}/actions/runs/${owner.job.runId}`)
  return steps
}
