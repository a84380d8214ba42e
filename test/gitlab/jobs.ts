import { writeFile } from 'node:fs/promises'
import { until } from '../cluster/machine/until.ts'
import { containerProcesses } from '../deaths/host-side.ts'
import { nestedToken, sharedToken } from './stage/config.ts'
import { containerIs, type Json, namespace, type Stage } from './stage/stage.ts'
import type { StandInJob } from './stand-in/gitlab.ts'
import type { JobOrder } from './stand-in/job.ts'

const sleeps = 'sleep 600'
const begunWithinMs = 90_000

/** All jobs run side by side, since most of their time is waiting. */
const orders = {
  succeeded: { script: ['echo fine'] },
  processOom: { script: ['tail /dev/zero'] },
  containerOom: { script: ['sleep 6', 'tail /dev/zero & tail /dev/zero & wait'] },
  evicted: {
    script: ['dd if=/dev/zero of=/tmp/large bs=1M count=64', sleeps],
    variables: { KUBERNETES_EPHEMERAL_STORAGE_LIMIT: '16Mi' },
  },
  deleted: { script: [sleeps] },
  orphan: { script: [sleeps] },
  nested: { script: [sleeps], token: nestedToken },
} satisfies Readonly<Record<string, Partial<JobOrder>>>

type JobName = keyof typeof orders

/** One job, and its pod in the state in which it is looked at. */
export interface StagedJob {
  readonly job: StandInJob
  readonly pod: Promise<Json>
}

/** Gives the jobs to the manager, and does to each what the test does to it. */
export function beginJobs(stage: Stage): Readonly<Record<JobName, StagedJob>> {
  const begun = Object.entries(orders).map(([name, order]) => {
    const job = stage.gitlab.enqueue({ name, token: sharedToken, ...order })
    const pod = stagedPod(name as JobName, job, stage)
    // A case awaits it; until then a failure is nobody's.
    pod.catch(() => {})
    return [name, { job, pod }] as const
  })
  return Object.fromEntries(begun) as Record<JobName, StagedJob>
}

async function stagedPod(name: JobName, job: StandInJob, stage: Stage): Promise<Json> {
  const pod = await stage.podThat(job, 'is there', () => true)
  if (name === 'orphan' || name === 'nested')
    return stage.podThat(
      job,
      'runs its script',
      (each) => isAtWork(job) && containerIs('build', 'running')(each),
    )
  await stage.hold(pod)
  if (name === 'deleted') {
    await until('its script runs', begunWithinMs, async () => isAtWork(job))
    await stage.cluster.api.request('DELETE', `/api/v1/namespaces/${namespace}/pods/${pod.metadata.name}`)
  }
  if (name === 'containerOom') await preferProgram(job, stage)
  return stage.podThat(job, 'has ended', containerIs('build', 'terminated'))
}

const isAtWork = ({ trace }: StandInJob): boolean => trace.includes('$ sleep')

/** Lets the kernel take the container's own program when memory is short, and not the process that fills it. */
async function preferProgram(job: StandInJob, stage: Stage): Promise<void> {
  const { status } = await stage.podThat(job, 'runs its script', () => isAtWork(job))
  const build = status.containerStatuses.find((each: Json) => each.name === 'build')
  const { init, all } = await containerProcesses(build.containerID)
  for (const pid of all) await writeFile(`/proc/${pid}/oom_score_adj`, pid === init ? '1000' : '0')
}
