import type { DeclaredProof } from '../../audit/contract/contract.ts'
import { attemptsOf, type RunAttempt } from '../../run-attempt/index.ts'
import type { ForgeJobFact } from '../../snapshot/index.ts'
import { fail, type Gate, pass, type Verdict } from '../gate.ts'
import type { RecheckFacts } from '../remedy.ts'
import type { ProofReading, RetryProofFacts, RetryProofScope } from './facts.ts'

type Facts = RecheckFacts<RetryProofFacts>

/** Asked immediately before the rerun; every one must pass. */
export const rechecks: readonly Gate<Facts>[] = [
  {
    name: 'declared-proof',
    why: 'Only a job whose failure says something about the platform alone may be run again without a person looking at its code.',
    judge: ({ reading: { job }, plan }) => judgeDeclared(job, plan.scope),
  },
  {
    name: 'same-attempt',
    why: 'A newer attempt was begun by somebody else, and is the retry.',
    judge({ reading: { jobs }, planned: { attempt } }) {
      const newest = newestOf(jobs)
      return { passed: newest === attempt, proof: `newest attempt ${newest}; planned ${attempt}` }
    },
  },
  {
    name: 'run-over',
    why: 'A run that goes on is not run again.',
    judge: ({ reading: { head, job } }) => {
      if (head === null || job === null) return fail('the forge knows it no more')
      const proof = `the run is ${head.isOver ? 'over' : 'not over'}, the job ${job.status}`
      return { passed: head.isOver && job.status === 'completed', proof }
    },
  },
  {
    name: 'transient-signal-9',
    why: 'Only a kill at the edge of the memory limit, with the figures that show it, is evidence that another try may pass.',
    judge: ({ reading }) => judgeTransient(reading),
  },
  {
    name: 'first-attempt-on-commit',
    why: 'Exactly one retry on a commit: another one adds no evidence.',
    judge({ reading: { job, jobs }, planned }) {
      if (job === null) return fail('the forge knows it no more')
      const ran = ranOn(planned.headSha, job, jobs)
      const proof = `attempts on ${planned.headSha.slice(0, 7)}: ${ran.map(({ number }) => number).join(', ')}`
      return { passed: ran.length === 1 && ran[0]?.job.jobId === planned.jobId, proof }
    },
  },
  {
    name: 'not-asked-before',
    why: 'A rerun whose answer was lost may still begin: it is never asked for again.',
    judge: ({ askedBefore }) =>
      askedBefore === 0
        ? pass('the trail has no rerun of it')
        : fail(`the trail has ${askedBefore} of it already`),
  },
  {
    name: 'head-current',
    why: 'A pass on a commit that nobody builds any more is the result of nothing.',
    judge: ({ reading: { head }, planned }) => judgeHead(head, planned.headSha),
  },
]

/** Whether the contract declares the job as a proof of the platform. */
export function judgeDeclared(
  job: ForgeJobFact | null,
  { declared }: Pick<RetryProofScope, 'declared'>,
): Verdict {
  if (job === null) return fail('the forge knows no such job')
  const isIt = (each: DeclaredProof) =>
    each.repository.toLowerCase() === job.repository.toLowerCase() && each.job === job.name
  return declared.some(isIt)
    ? pass(`the contract declares "${job.name}" of ${job.repository} as a platform proof`)
    : fail(
        `the contract declares no platform proof "${job.name}" of ${job.repository}: add it to platformProofs if its failure says nothing about the commit`,
      )
}

/** Whether the kill is transient evidence; each other class is named. */
export function judgeTransient({ verdict }: Pick<ProofReading, 'verdict'>): Verdict {
  if (verdict === null) return fail('it is no failure, or why it failed is not known')
  const proof = `${verdict.class}: ${verdict.because.join(' ')}`
  return verdict.class === 'transient-runner-memory-evidence' ? pass(proof) : fail(proof)
}

function newestOf(jobs: readonly ForgeJobFact[]): number {
  return Math.max(0, ...jobs.map(({ runAttempt }) => runAttempt ?? 0))
}

/** The attempts of a job that really ran on this commit; one that was only copied is none. */
export function ranOn(
  headSha: string,
  job: ForgeJobFact,
  jobs: readonly ForgeJobFact[],
): readonly RunAttempt[] {
  const known = { nodeOf: () => null, verdictOf: () => null }
  return attemptsOf(job, jobs, known).filter((each) => !each.isCarriedOver && each.job.headSha === headSha)
}

function judgeHead(head: ProofReading['head'], planned: string): Verdict {
  if (head === null) return fail('the forge knows its run no more')
  const { headSha, branch, newerSha } = head
  if (headSha !== planned) return fail(`its run is of ${headSha ?? 'an unknown commit'}; planned ${planned}`)
  if (branch === null) return fail('its branch is not known: whether it has gone on cannot be said')
  return newerSha === null
    ? pass(`no later run on ${branch} is of another commit`)
    : fail(`${branch} has gone on to ${newerSha}`)
}
