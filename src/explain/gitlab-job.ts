import type { Explanation } from '../api/index.ts'
import type { Ending, Verdict } from '../domain/death/index.ts'
import type { GitlabJob } from '../ports/foreign-runner.ts'

/** Ends that leave a pod of GitLab Runner as every pod of it is left: by its deletion. */
const deletions: ReadonlySet<string> = new Set(['deleted', 'sigkill-unknown', 'terminated'])

/** The job's own container by the name that it has at GitLab Runner, wherever evidence names it. */
export function inGitlabWords(ending: Ending): Ending {
  const { pod } = ending
  return {
    ...ending,
    missing: ending.missing.map(ownName),
    pod: pod && {
      ...pod,
      containers: pod.containers.map((each) => (each.name === 'runner' ? { ...each, name: 'build' } : each)),
    },
  }
}

/** Whether the script's container has ended, although another container keeps the pod running. */
export function hasBuildEnded({ pod }: Ending): boolean {
  return pod?.containers.some(({ name, state }) => name === 'runner' && state === 'terminated') ?? false
}

/**
 * The verdict about a pod of GitLab Runner. Its manager deletes the pod when the job is over, however that went, and the
 * kubelet then kills its containers with 137: such an end is no death of a job.
 */
export function gitlabVerdict(verdict: Verdict, { pod, endedAt }: Ending): Verdict {
  const own = { ...verdict, because: verdict.because.map(ownName), unknown: verdict.unknown.map(ownName) }
  const isDeleted = pod !== null && pod.deletedAt !== null && pod.deletedAt <= endedAt
  if (isDeleted && verdict.class === 'container-oom') return processOom(own)
  if (!isDeleted || !deletions.has(verdict.class)) return own
  return {
    ...own,
    class: 'deleted',
    because: [
      'Its pod was asked to go, and its containers were stopped: so ends every pod of GitLab Runner, also after a job that succeeded. Exit code 137 is no death of the job here.',
    ],
    unknown: [
      'whether its job was over before: only GitLab knows how it ended',
      'who deleted the pod: its manager does so after each job; somebody else may have done it before',
    ],
    nextSteps: [
      'See at GitLab how the job ended. Only where it shows runner_system_failure and "is being deleted" was the pod taken from a job that ran: then search the audit log of the API server.',
    ],
  }
}

/** The container went on until its pod was deleted: the kubelet's OOMKilled is that of a process in it, before. */
function processOom(verdict: Verdict): Verdict {
  return {
    ...verdict,
    class: 'guest-oom',
    confidence: 'likely',
    because: [
      'A process of its script was killed at the memory limit of the build container, and the container went on: it ended only when its pod was deleted, as every pod of GitLab Runner is after its job. The kubelet still calls such a container OOMKilled.',
    ],
    unknown: [
      'which process was killed, and whether the job failed by it: the log of the job at GitLab has "Killed" and exit code 137 then (script_failure)',
    ],
  }
}

/** The job as an explanation names it. */
export function gitlabJobView({ id, name, project }: GitlabJob): Explanation['job'] {
  if (id === null && name === null) return null
  return {
    id: null,
    forge: id === null ? 'job not known' : `job ${id}`,
    repository: project ?? 'project not known',
    name: name ?? 'a job',
    state: 'not asked at GitLab',
    said: null,
  }
}

/** Facts about such a job that no record of the cluster has. */
export const gitlabUnknown: readonly string[] = [
  'how its job ended: GitLab was not asked, and its manager keeps no record in the cluster',
  'whether a process of its script was killed for memory: the container goes on then, and only the log of the job at GitLab has "Killed" and exit code 137 (script_failure)',
]

/** Where to look next: the job at GitLab, by the reason that GitLab shows for such an end. */
export function gitlabSteps({ url, id }: GitlabJob, verdict: Verdict | null): readonly string[] {
  const reason = verdict === null || verdict.class === 'deleted' ? null : failureReason(verdict)
  const place = url ?? (id === null ? 'the job at GitLab' : `job ${id} at GitLab`)
  return [
    reason === null ? `How the job ended: ${place}` : `GitLab shows such an end as ${reason}: ${place}`,
    'Whether its manager lives: holdfast audit gitlab',
  ]
}

function failureReason({ class: name }: Verdict): string {
  if (name === 'guest-oom') return 'script_failure'
  return name === 'image-pull' ? 'runner_external_dependency_failure' : 'runner_system_failure'
}

function ownName(text: string): string {
  return text.replaceAll(/\bcontainer runner\b/g, 'container build')
}
