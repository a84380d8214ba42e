import { isJobPod, isOlderThan, livingManagers, oldestStart } from '../../gitlab/index.ts'
import type { PodFact } from '../../snapshot/index.ts'
import { fail, type Gate, pass } from '../gate.ts'
import type { RecheckFacts } from '../remedy.ts'
import type { GitlabOrphansFacts } from './facts.ts'
import { judgeAtGitlab, judgeByPod } from './job-over.ts'

type Facts = RecheckFacts<GitlabOrphansFacts>

const sameObject: Gate<Facts> = {
  name: 'same-object',
  why: 'Another pod of the same name, or another state of this one, was never approved.',
  judge(facts) {
    const pod = podOf(facts)
    if (pod === null) return fail('there is no such pod any more')
    const { uid, resourceVersion } = facts.planned
    return {
      passed: pod.uid === uid && pod.resourceVersion === resourceVersion,
      proof: `uid ${pod.uid}, resourceVersion ${pod.resourceVersion}; planned ${uid}, ${resourceVersion}`,
    }
  },
}

const stillJobPod: Gate<Facts> = {
  name: 'still-job-pod',
  why: 'Only pods that GitLab Runner made for jobs are its orphans, and one that is going needs no help.',
  judge(facts) {
    const pod = podOf(facts)
    if (pod === null || !isJobPod(pod)) return fail('it is no job pod of GitLab Runner')
    return pod.deletedAt === null ? pass(`phase ${pod.phase}`) : fail('it is being deleted already')
  },
}

const managerGone: Gate<Facts> = {
  name: 'manager-gone',
  why: 'A manager whose process is older may have made the pod, and still serve its job. A pod does not say which manager made it: any older one vetoes, and so does one that is starting.',
  judge(facts) {
    const pod = podOf(facts)
    const oldest = oldestStart(livingManagers(facts.reading.pods))
    if (pod === null) return fail('there is no such pod any more')
    if (oldest === 'unknown') return fail('a manager is starting: how long it was there before is not known')
    if (oldest === 'none')
      return pass('no manager is in the cluster; one outside is not seen: the end of the job alone decides')
    return {
      passed: isOlderThan(pod, oldest),
      proof: `pod of ${iso(pod.createdAt)}, the oldest manager began ${iso(oldest)}`,
    }
  },
}

const jobOver: Gate<Facts> = {
  name: 'job-over',
  why: 'A script may still work in a pod that lost its manager: GitLab says whether its job is over. Where GitLab was not asked, the pod itself must prove it; a started build container vetoes then, until its deadline.',
  judge(facts) {
    const pod = podOf(facts)
    if (pod === null) return fail('there is no such pod any more')
    const { gitlab } = facts.plan.scope
    return gitlab === null ? judgeByPod(pod, facts.now) : judgeAtGitlab(facts, gitlab)
  },
}

/** Asked about each pod immediately before it is deleted; every one must pass. */
export const rechecks: readonly Gate<Facts>[] = [sameObject, stillJobPod, managerGone, jobOver]

function podOf({ reading, planned: { namespace, name } }: Facts): PodFact | null {
  return reading.pods.find((each) => each.namespace === namespace && each.name === name) ?? null
}

function iso(at: number | null): string {
  return at === null ? 'an unknown time' : new Date(at).toISOString()
}
