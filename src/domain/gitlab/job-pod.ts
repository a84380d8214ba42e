import { durationMsIn } from './duration.ts'

const jobLabel = 'job.runner.gitlab.com/pod'
const managerLabel = 'manager.runner.gitlab.com/name'
const timeoutAnnotation = 'job.runner.gitlab.com/timeout'
const jobAnnotation = 'job.runner.gitlab.com/id'
const projectAnnotation = 'project.runner.gitlab.com/id'
const urlAnnotation = 'job.runner.gitlab.com/url'
/** Ids that a number of JavaScript holds. */
const plainId = /^[1-9]\d{0,14}$/
/** Of releases before the labels. */
const podName = /^runner-.+-project-\d+-concurrent-/
/** Where a job has a namespace of its own. */
const jobNamespace = /^ci-job-\d+$/

interface Labelled {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
}

/** Whether GitLab Runner's Kubernetes executor made the pod for a job. */
export function isJobPod({ labels, name }: Labelled): boolean {
  return jobLabel in labels || podName.test(name)
}

/** The name of the runner in config.toml, as its label has it; null where the pod does not say it. */
export function runnerOfPod({ labels }: Labelled): string | null {
  return labels[managerLabel] || null
}

/** The time that GitLab gives the job; null where the pod does not say it. */
export function timeoutMsOf(annotations: Readonly<Record<string, string>>): number | null {
  return durationMsIn(annotations[timeoutAnnotation] ?? '')
}

/** One job of a project at a GitLab. */
export interface GitlabJobRef {
  /** Of its web site, with the port where it has one. */
  readonly host: string
  readonly projectId: number
  readonly jobId: number
}

/** The job that a pod was made for: only its annotations say it. Null where they do not, or not wholly. */
export function jobRefOf(annotations: Readonly<Record<string, string>>): GitlabJobRef | null {
  const [job = '', project = ''] = [annotations[jobAnnotation], annotations[projectAnnotation]]
  const url = URL.parse(annotations[urlAnnotation] ?? '')
  if (!plainId.test(job) || !plainId.test(project) || url === null || url.host === '') return null
  return { host: url.host, projectId: Number(project), jobId: Number(job) }
}

/** Whether GitLab Runner made the namespace for one job. */
export function isJobNamespace(name: string): boolean {
  return jobNamespace.test(name)
}
