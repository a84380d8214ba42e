import { jobRefOf } from '../../domain/gitlab/index.ts'
import { reasonOf } from '../../domain/reason.ts'
import {
  type GateResult,
  type GitlabOrphansFacts,
  type GitlabOrphansScope,
  masked,
  type PodsReading,
  type Remedy,
  selectOrphans,
} from '../../domain/remedy/index.ts'
import type { GitlabJobs, RemedyPods } from '../../ports/remedy-gitlab.ts'
import type { RemedyDeps } from '../deps.ts'
import { type Planned, planRemedy } from '../plan.ts'
import type { Treatment } from '../treatment.ts'

/** The pods of a cluster, and the GitLab of their jobs; null where no token was given. */
export interface GitlabSources {
  readonly pods: RemedyPods
  readonly gitlab: GitlabJobs | null
}

/** `fix gitlab-orphans` on a cluster and, where a token was given, a GitLab. */
export function gitlabOrphansTreatment(
  remedy: Remedy<GitlabOrphansFacts>,
  { pods, gitlab }: GitlabSources,
): Treatment<GitlabOrphansFacts> {
  return {
    remedy,
    async readFresh({ job: ref }, signal) {
      const isAsked = gitlab !== null && ref !== null && ref.host === URL.parse(gitlab.url)?.host
      const job = isAsked ? await gitlab.readJob(ref, signal) : null
      const reading = await pods.listPods(signal)
      return { sources: { cluster: reading.at, ...(job !== null && { gitlab: job.at }) }, reading, job }
    },
    async act({ namespace, name, uid, resourceVersion }, signal) {
      const removal = await pods.removePod({ namespace, name, uid, resourceVersion }, signal)
      return removal === 'removed' ? 'done' : removal
    },
    async isDone({ namespace, name, uid }, signal) {
      const pod = await pods.readPod({ namespace, name }, signal)
      return pod === null || pod.uid !== uid || pod.deletedAt !== null
    },
    readAfter: async ({ namespace, name }, signal) => ({
      pod: await pods.readPod({ namespace, name }, signal),
    }),
    ends: ({ scope }) => [
      {
        subject: scope.namespaces.join(', '),
        read: async (signal) => ({ reading: await pods.listPods(signal) }),
      },
    ],
    texts: {
      toDo: ({ uid, resourceVersion }) =>
        `to be deleted now, by uid ${uid} and resourceVersion ${resourceVersion}`,
      done: 'the cluster took its deletion on',
      verified: 'removed',
      proven: 'none of the planned pods is left',
    },
  }
}

/** Judges the job pods of these namespaces, and plans which of them may go. */
export async function planGitlabOrphans(
  remedy: Remedy<GitlabOrphansFacts>,
  { namespaces }: Pick<GitlabOrphansScope, 'namespaces'>,
  deps: RemedyDeps & GitlabSources,
  signal: AbortSignal,
): Promise<Planned<GitlabOrphansFacts>> {
  const began = deps.clock.now()
  const scope = { namespaces, gitlab: deps.gitlab?.url ?? null }
  const { reading, gate } = await read(deps.pods, signal)
  const selected = reading === null ? [] : selectOrphans(reading, scope)
  const candidates = {
    began,
    scope,
    gates: [gate],
    objects: selected
      .filter(({ isChosen }) => isChosen)
      .map(({ pod: { namespace, name, uid, resourceVersion, annotations }, why }) => ({
        kind: 'Pod' as const,
        namespace,
        name,
        uid,
        resourceVersion,
        why,
        job: jobRefOf(annotations),
        evidence: [],
      })),
    skipped: selected
      .filter(({ isChosen }) => !isChosen)
      .map(({ pod: { namespace, name }, why }) => ({ namespace, name, why })),
  }
  return planRemedy(gitlabOrphansTreatment(remedy, deps), candidates, deps, signal)
}

async function read(
  pods: RemedyPods,
  signal: AbortSignal,
): Promise<{ readonly reading: PodsReading | null; readonly gate: GateResult }> {
  const gated = (passed: boolean, proof: string) => ({ gate: 'pods-read', passed, proof: masked(proof) })
  try {
    const reading = await pods.listPods(signal)
    return { reading, gate: gated(true, `${reading.pods.length} pods in the cluster`) }
  } catch (error) {
    signal.throwIfAborted()
    return { reading: null, gate: gated(false, `not every pod of the cluster: ${reasonOf(error)}`) }
  }
}
