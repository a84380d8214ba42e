import type { JobFailureFacts } from './facts.ts'
import { type KnownFailure, knownFailure } from './known.ts'
import { jobFailureGroups, notExplained } from './rules/index.ts'
import type { JobFinding, JobVerdict } from './verdict.ts'

/** Conclusions that need no explanation. */
const notFailed: ReadonlySet<string | null> = new Set([null, 'success', 'skipped', 'neutral'])

/** Why a job failed; null where it did not, or nothing says that it did. */
export function judgeJobFailure(facts: JobFailureFacts): JobVerdict | null {
  const { job, runner } = facts
  if (job !== null && notFailed.has(job.conclusion) && runner?.isLost !== true) return null
  const known = knownFailure(facts)
  for (const rule of jobFailureGroups.flatMap(({ rules }) => rules)) {
    const finding = rule.fires(known)
    if (finding !== null) return verdictOf(rule, finding, known)
  }
  if (job === null) return null
  return verdictOf(notExplained, { class: 'unknown', confidence: 'unknown', because: [] }, known)
}

function verdictOf(
  { name, nextSteps }: { readonly name: string; readonly nextSteps: readonly string[] },
  finding: JobFinding,
  known: KnownFailure,
): JobVerdict {
  const { unknown = [], ...rest } = finding
  return {
    ...rest,
    rule: name,
    step: known.step?.name ?? null,
    ruledOut: ruledOutOf(known, finding),
    unknown: [...unknown, ...unreadOf(known)],
    nextSteps,
  }
}

/** Causes on our side that are ruled out, each with how that is known. */
function ruledOutOf({ runner, log, signs }: KnownFailure, { class: failure }: JobFinding): string[] {
  if (failure === 'lost-runner' || failure === 'unknown') return []
  const ruledOut: string[] = []
  if (runner?.end?.class === 'clean' && runner.end.confidence !== 'unknown')
    ruledOut.push('not its runner: it ended by itself, in order')
  if (runner !== null && runner.end === null) ruledOut.push('not its runner: it lives')
  if (runner?.memory.oomKills === 0)
    ruledOut.push('not the memory limit: the kernel counted no kill in its groups')
  const isQuiet = log !== null && !signs.diskFull && !signs.fileTable && !signs.openFiles && !signs.tls
  if (failure === 'own-step' && isQuiet)
    ruledOut.push('not a full disk, a full file table or an untrusted certificate, as far as its log shows')
  return ruledOut
}

function unreadOf({ job, log, runner }: KnownFailure): string[] {
  return [
    ...(job === null ? ['what the forge says about the job: it was not asked'] : []),
    ...(job !== null && job.steps === null
      ? ['the steps of the job: the forge has none, or they were not read']
      : []),
    ...(log === null ? ["the job's own log: it was not read, or the forge has none"] : []),
    ...(runner === null ? ['how its runner did: nothing of it is known here'] : []),
    ...(runner !== null && runner.memory.oomKills === null
      ? ['whether the kernel killed something of it for memory: nobody counted up to its end']
      : []),
  ]
}
