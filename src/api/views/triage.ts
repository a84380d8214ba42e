import { audits } from '../../domain/audit/index.ts'
import type { ScaleSetFact } from '../../domain/snapshot/index.ts'
import type { Situation, TriageCase, Triaged } from '../../domain/triage/index.ts'
import type { ApiTriageCase } from '../contracts/triage.ts'
import { attemptsView } from './attempts.ts'
import { findingViews } from './audit.ts'
import { jobVerdictView } from './job-verdict.ts'
import { caseTimelineView } from './timeline.ts'

/** The answer about one job or runner as programs read it. */
export function triageCaseView(triaged: Triaged): ApiTriageCase {
  const { found, situation, entries, jobVerdict, attempts, findings, unjudged, timeline, isReached } = triaged
  return {
    title: titleOf(found),
    state: stateOf(found, situation),
    entries: entries.map(({ entry, question, audit }) => ({ entry, question, audit })),
    jobVerdict: jobVerdict === null ? null : jobVerdictView(jobVerdict),
    attempts: attempts && attemptsView(attempts),
    findings: findingViews(findings, audits),
    unjudged: [...unjudged],
    ruledOut: [...(jobVerdict?.ruledOut ?? [])],
    unknown: [...(jobVerdict?.unknown ?? []), ...(attempts?.unknown ?? [])],
    nextSteps: [...(jobVerdict?.nextSteps ?? []), ...(attempts?.nextSteps ?? [])],
    timeline: caseTimelineView(timeline),
    isReached,
  }
}

function titleOf({ job, runner, pod, forgeRunner }: TriageCase): string {
  if (job !== null) return `Job ${job.jobId}, ${job.repository} · ${job.name}`
  const each = runner ?? pod
  return each === null ? `Runner ${forgeRunner?.name ?? ''}` : `Runner ${each.namespace}/${each.name}`
}

const situationWords: Readonly<Record<Situation, string>> = {
  'job-waits': 'the job waits for a runner',
  'job-runs': 'the job runs',
  'job-failed': 'the job, or its runner, failed',
  'job-over': 'the job is over and did not fail',
  'runner-starts': 'the runner has not started',
  'runner-idle': 'the runner is up and has no job that is known',
}

function stateOf({ job, runner, pod, forgeRunner, sets }: TriageCase, situation: Situation): string {
  const atForge =
    forgeRunner && `${forgeRunner.isOnline ? 'online' : 'offline'}${forgeRunner.isBusy ? ', busy' : ''}`
  const parts = [
    situationWords[situation],
    job &&
      `the forge says ${job.status.replaceAll('_', ' ')}${job.conclusion === null ? '' : ` (${job.conclusion})`}`,
    job && job.runnerName !== null && `on ${job.runnerName}`,
    runner && `its object says ${runner.phase ?? 'nothing yet'}`,
    pod && `its pod is ${pod.phase}${pod.node === null ? '' : ` on ${pod.node}`}`,
    atForge && `the forge calls its runner ${atForge}`,
    sets.length > 0 && `scale set ${sets.map(nameOf).join(', ')}`,
  ]
  return parts.filter((part) => typeof part === 'string').join('; ')
}

/** A pool of Holdfast on one machine is in no namespace. */
function nameOf({ namespace, name }: ScaleSetFact): string {
  return namespace === '' ? name : `${namespace}/${name}`
}
