import { managerRefusal } from '../../audit/gitlab/rules/token.ts'
import { startOf } from '../../gitlab/index.ts'
import { keyOf } from '../../snapshot/index.ts'
import { approvals, rechecksAround } from '../common-gates.ts'
import { fail, type Gate, pass, type Verdict } from '../gate.ts'
import type { RecheckFacts, Remedy } from '../remedy.ts'
import type { GitlabRunnerReading, GitlabTokenFacts, ManagerReading } from './facts.ts'

const minuteMs = 60_000

interface State {
  readonly uid: string
  readonly resourceVersion: string
}

const rechecks: readonly Gate<RecheckFacts<GitlabTokenFacts>>[] = [
  {
    name: 'same-object',
    why: 'Another Deployment of the same name, or another state of it, was never approved.',
    judge: ({ deployment, planned }) => judgeState(deployment, planned),
  },
  {
    name: 'same-secret',
    why: 'A restart reads whatever the Secret has then: it must be the token that GitLab was asked about.',
    judge: ({ secret, planned }) => judgeState(secret?.secret ?? null, planned.secret),
  },
  {
    name: 'token-stale',
    why: 'A manager reads its token when it starts, and never again: only one that began before the Secret was written gains by a restart.',
    judge: judgeStale,
  },
  {
    name: 'token-refused',
    why: 'A manager whose token GitLab accepts works, and may take a job in the last moment.',
    judge: ({ managers }) => {
      const words = managers.map(({ lines }) => managerRefusal(lines))
      const first = words.find((word) => word !== null) ?? null
      if (words.length === 0 || words.includes(null)) return fail('no refusal is the newest word of its log')
      return pass(`log: ${first?.slice(0, 200)}`)
    },
  },
  {
    name: 'token-valid',
    why: 'A restart with a token that GitLab refuses as well gains nothing, and hides the cause.',
    judge: ({ tokenOf, planned: { runnerId } }) => ({
      passed: tokenOf === runnerId,
      proof: tokenOf === null ? 'GitLab does not accept it' : `GitLab accepts it for runner ${tokenOf}`,
    }),
  },
  {
    name: 'no-running-jobs',
    why: 'A manager that is stopped ends its jobs.',
    judge: ({ runningJobs, planned: { runnerId } }) =>
      runningJobs.length === 0
        ? pass(`GitLab lists no running job of runner ${runnerId}`)
        : fail(`GitLab lists running jobs of runner ${runnerId}: ${runningJobs.join(', ')}`),
  },
  {
    name: 'no-job-pods',
    why: 'The manager may have jobs of a runner that GitLab has forgotten: their pods are the cluster’s own word.',
    judge: ({ jobPods, planned: { jobNamespaces } }) =>
      jobPods.length === 0
        ? pass(`no live job pod in ${jobNamespaces.join(', ')}`)
        : fail(`live job pods: ${jobPods.map(keyOf).join(', ')}`),
  },
]

type After = ManagerReading & { readonly runner: GitlabRunnerReading | null }

const verifications: readonly Gate<After>[] = [
  {
    name: 'rolled-out',
    why: 'Only pods that began after the Secret was written have its token.',
    judge(facts) {
      const stale = judgeStale(facts)
      return {
        passed:
          facts.deployment?.isRolledOut === true &&
          facts.managers.length > 0 &&
          startsOf(facts) !== null &&
          !stale.passed,
        proof: `${facts.deployment?.isRolledOut ? 'rolled out' : 'not rolled out'}; ${stale.proof}`,
      }
    },
  },
  {
    name: 'contacted',
    why: 'Running is not registered: GitLab itself must have been in contact with the new process.',
    judge(facts) {
      const { runner } = facts
      const contactedAt = runner?.contactedAt ?? null
      const starts = startsOf(facts)
      const isContacted = starts !== null && contactedAt !== null && contactedAt >= Math.max(...starts)
      const refused = facts.managers.some(({ lines }) => managerRefusal(lines) !== null)
      return {
        passed: runner?.status === 'online' && isContacted && !refused,
        proof: `${runner?.status ?? 'unknown'} at GitLab, last contact ${contactedAt === null ? 'never' : iso(contactedAt)}${refused ? '; its log shows a refusal' : ''}`,
      }
    },
  },
]

/** Restarts the one manager whose process has a token of before, where its Secret has one that GitLab accepts. */
export const gitlabToken: Remedy<GitlabTokenFacts> = {
  name: 'gitlab-token',
  bounds: {
    objectsPerRunMax: 1,
    objectsPerHourMax: 4,
    planAgeMaxMs: 15 * minuteMs,
    factAgeMaxMs: 20_000,
    // A manager that starts registers first, and asks for its first job then.
    verifyMaxMs: 3 * minuteMs,
    proveMaxMs: 1 * minuteMs,
  },
  approvals,
  rechecks: rechecksAround(rechecks),
  verifications,
  proofs: verifications,
}

function judgeState(found: State | null, { uid, resourceVersion }: State): Verdict {
  if (found === null) return fail('there is no such object any more')
  return {
    passed: found.uid === uid && found.resourceVersion === resourceVersion,
    proof: `uid ${found.uid}, resourceVersion ${found.resourceVersion}`,
  }
}

/** Whether every process of the manager is older than what its Secret has. */
function judgeStale(facts: ManagerReading): Verdict {
  const writtenAt = facts.secret?.writtenAt ?? null
  const starts = startsOf(facts)
  if (writtenAt === null) return fail('when the Secret was last written is not known')
  if (starts === null) return fail('when its manager began is not known')
  return {
    passed: starts.every((start) => start < writtenAt),
    proof: `manager of ${starts.map(iso).join(', ')}, Secret of ${iso(writtenAt)}`,
  }
}

/** When each process began; null: there is none, or one whose time is not known. */
function startsOf({ managers }: ManagerReading): readonly number[] | null {
  const starts = managers.flatMap(({ pod }) => startOf(pod) ?? [])
  return starts.length === 0 || starts.length < managers.length ? null : starts
}

function iso(at: number): string {
  return new Date(at).toISOString()
}
