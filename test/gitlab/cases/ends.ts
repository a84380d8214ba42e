import assert from 'node:assert/strict'
import type { Bench, Case } from '../bench.ts'
import { holdfast } from '../holdfast.ts'
import type { StagedJob } from '../jobs.ts'
import { type Json, namespace } from '../stage/stage.ts'

/** How each job ended: GitLab's word, the pod's, and the verdict that `explain` must reach from the cluster alone. */
export const endCases: Readonly<Record<string, Case>> = {
  async 'a job that succeeded leaves a pod that is Failed with 137, and explain sees no death'(bench) {
    const { pod, job, verdict } = await explained(bench.jobs.succeeded, bench)
    assert.equal(job.status, 'success')
    assert.equal(pod.status.phase, 'Failed')
    assert.deepEqual(stateOf(pod, 'build'), { exitCode: 137, reason: 'Error' })
    assert.equal(verdict.class, 'deleted')
    assert.match(verdict.because.join(), /no death of the job/)
  },

  async 'a process of the script that was killed for memory is not an OOM of the container'(bench) {
    const { pod, job, verdict } = await explained(bench.jobs.processOom, bench)
    assert.deepEqual([job.failureReason, job.exitCode], ['script_failure', 137])
    assert.deepEqual(stateOf(pod, 'build'), { exitCode: 137, reason: 'OOMKilled' })
    assert.equal(verdict.class, 'guest-oom')
    assert.match(verdict.because.join(), /the container went on/)
  },

  async 'a build container that was killed for memory is an OOM, while its helper still runs'(bench) {
    const { pod, verdict } = await explained(bench.jobs.containerOom, bench)
    assert.deepEqual(stateOf(pod, 'build'), { exitCode: 137, reason: 'OOMKilled' })
    assert.equal(verdict.class, 'container-oom')
  },

  async 'a pod that the kubelet evicted was evicted'(bench) {
    const { job, verdict } = await explained(bench.jobs.evicted, bench)
    assert.equal(job.failureReason, 'runner_system_failure')
    assert.deepEqual([verdict.class, verdict.confidence], ['evicted-ephemeral-storage', 'proven'])
  },

  async 'a pod that was deleted from under its job was deleted'(bench) {
    const { job, verdict, nextSteps } = await explained(bench.jobs.deleted, bench)
    assert.equal(job.failureReason, 'runner_system_failure')
    assert.equal(verdict.class, 'deleted')
    assert.match(nextSteps.join(), /runner_system_failure/)
  },
}

async function explained({ job, pod: staged }: StagedJob, { stage, folder, say }: Bench) {
  const pod = await staged
  const args = ['explain', '--namespace', namespace, '--kubeconfig', stage.cluster.kubeconfig]
  const { code, out, err } = await holdfast(folder, [...args, pod.metadata.name, '--json'])
  assert.equal(code, 0, out + err)
  const { verdict, nextSteps } = JSON.parse(out)
  say(`     ${job.order.name}: GitLab ${job.failureReason ?? job.status}, explain ${verdict.class}`)
  return { pod, job, verdict, nextSteps }
}

function stateOf({ status }: Json, container: string): object {
  const { exitCode, reason } = status.containerStatuses.find(({ name }: Json) => name === container).state
    .terminated
  return { exitCode, reason }
}
