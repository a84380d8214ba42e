import { isJobPod } from '../../../domain/gitlab/index.ts'
import { isRecord } from '../../../domain/is-record.ts'
import { redactText } from '../../../domain/redact/index.ts'
import type { GitlabJob } from '../../../ports/foreign-runner.ts'
import type { PodLogs, WholeObject } from '../client/index.ts'

/** Where the job's script runs in a pod of GitLab Runner. */
const buildContainer = 'build'
/** The name under which evidence is captured and judged. */
const runnerContainer = 'runner'
const wordCharsMax = 500

/** The job that GitLab Runner made a pod for, by its labels and annotations; null for every other pod. */
export function gitlabJobOf(pod: WholeObject): GitlabJob | null {
  const metadata = recordIn(pod, 'metadata')
  const [labels, annotations] = [textsIn(metadata, 'labels'), textsIn(metadata, 'annotations')]
  if (!isJobPod({ name: String(metadata.name ?? ''), labels })) return null
  const namespace = labels['project.runner.gitlab.com/namespace']
  const project = labels['project.runner.gitlab.com/name']
  return {
    id: /^\d{1,20}$/.exec(annotations['job.runner.gitlab.com/id'] ?? '')?.[0] ?? null,
    url: annotations['job.runner.gitlab.com/url'] ?? null,
    name: annotations['job.runner.gitlab.com/name'] ?? null,
    project: project === undefined ? null : [namespace, project].filter(Boolean).join('/'),
    runner: labels['manager.runner.gitlab.com/name'] ?? null,
  }
}

/** The pod with its build container in the place of a runner's: evidence of both is captured alike. */
export function asRunnerPod(pod: WholeObject): WholeObject {
  const [spec, status] = [recordIn(pod, 'spec'), recordIn(pod, 'status')]
  return {
    ...pod,
    spec: { ...spec, containers: renamed(spec.containers) },
    status: { ...status, containerStatuses: renamed(status.containerStatuses) },
  } as WholeObject
}

/** Logs of such a pod: of the container by the name that it really has. */
export function buildLogs({ tail }: PodLogs): PodLogs {
  return {
    tail: (order, signal) =>
      tail(
        { ...order, container: order.container === runnerContainer ? buildContainer : order.container },
        signal,
      ),
  }
}

function renamed(list: unknown): unknown {
  if (!Array.isArray(list)) return list
  return list.map((each) =>
    isRecord(each) && each.name === buildContainer ? { ...each, name: runnerContainer } : each,
  )
}

function recordIn(value: unknown, key: string): Record<string, unknown> {
  const found = isRecord(value) ? value[key] : undefined
  return isRecord(found) ? found : {}
}

/** Labels and annotations are written by others: they are cut, and without secrets. */
function textsIn(value: Record<string, unknown>, key: string): Record<string, string> {
  const entries = Object.entries(recordIn(value, key))
  return Object.fromEntries(
    entries.flatMap(([name, text]) =>
      typeof text === 'string' ? [[name, redactText(text, wordCharsMax)]] : [],
    ),
  )
}
