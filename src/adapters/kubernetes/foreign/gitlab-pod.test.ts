import { describe, expect, it } from 'vitest'
import { explainForeignRunner } from '../../../explain/index.ts'
import { bench } from '../client/testing/bench.ts'
import { stamped } from '../client/testing/stamped.ts'
import { events, never, nodesPath, pods, readyNode } from '../host/testing/ground.ts'
import { at, now, running, terminated } from '../host/testing/pod.ts'
import { readForeignRunner } from './read-runner.ts'

const name = 'runner-t4ns81kwe-project-31-concurrent-0-k2p9wq4d'

interface Situation {
  readonly build: object
  readonly helper: object
  readonly service?: object
  readonly status?: object
  readonly metadata?: object
  readonly event?: { readonly reason: string; readonly message: string }
}

/** A cluster with one pod as GitLab Runner 19.4 makes it. */
async function explained({ build, helper, service, status, metadata, event }: Situation) {
  const { api, cluster, clock } = await bench()
  api.truth.put(nodesPath, 'node-1', readyNode)
  const limits = { memory: '1Gi' }
  api.truth.put(pods, name, {
    metadata: {
      namespace: 'ci',
      uid: 'uid-of-it',
      creationTimestamp: at(600),
      labels: {
        'job.runner.gitlab.com/pod': 'runner-t4ns81kwe-project-31-concurrent-0',
        'manager.runner.gitlab.com/name': 'shared',
        'project.runner.gitlab.com/namespace': 'acme',
        'project.runner.gitlab.com/name': 'web',
      },
      annotations: {
        'job.runner.gitlab.com/id': '9117',
        'job.runner.gitlab.com/name': 'test',
        'job.runner.gitlab.com/url': 'https://gitlab.example.com/acme/web/-/jobs/9117',
      },
      ...metadata,
    },
    spec: {
      nodeName: 'node-1',
      containers: ['build', 'helper', 'svc-0'].map((each) => ({
        name: each,
        image: 'x',
        resources: { limits },
      })),
      initContainers: [{ name: 'init-permissions', image: 'x' }],
    },
    status: {
      phase: 'Running',
      startTime: at(590),
      containerStatuses: [
        { name: 'build', ...build },
        { name: 'helper', ...helper },
        { name: 'svc-0', ...(service ?? running()) },
      ],
      initContainerStatuses: [{ name: 'init-permissions', ...terminated(0, { reason: 'Completed' }) }],
      ...status,
    },
  })
  if (event !== undefined)
    api.truth.put(events, 'e-1', {
      metadata: { namespace: 'ci' },
      type: 'Warning',
      ...event,
      involvedObject: { kind: 'Pod', name, uid: 'uid-of-it' },
      lastTimestamp: at(20),
    })
  const logs: string[] = []
  api.faults.push(({ path, query }, response) => {
    if (!path.endsWith('/log')) return true
    logs.push(query.get('container') ?? '')
    response.end(stamped('last words\n'))
    return undefined
  })
  const runner = await readForeignRunner({ namespace: 'ci', pod: name }, { cluster, clock }, never)
  return { ...explainForeignRunner(runner, `ci/${name}`, now), logs }
}

const killed = terminated(137, { reason: 'Error', finishedAt: at(10) })
const failed = { phase: 'Failed' }
const leaving = { deletionTimestamp: at(20), deletionGracePeriodSeconds: 0 }

describe('a pod of GitLab Runner', () => {
  it('that failed with 137 after it was asked to go is no death: so ends a job that succeeded', async () => {
    const { verdict, unknown, nextSteps, job, evidence, logs, tail, isReached } = await explained({
      build: killed,
      helper: killed,
      service: killed,
      status: failed,
      metadata: leaving,
    })
    expect(verdict).toMatchObject({ class: 'deleted', confidence: 'likely' })
    expect(verdict?.because.join()).toContain('also after a job that succeeded')
    expect(isReached).toBe(true)
    expect(unknown.join('\n')).toMatch(/only GitLab knows how it ended/)
    expect(nextSteps.join('\n')).toContain('https://gitlab.example.com/acme/web/-/jobs/9117')
    expect(job).toMatchObject({ forge: 'job 9117', repository: 'acme/web', name: 'test' })
    const texts = evidence.map(({ text }) => text).join('\n')
    for (const each of ['build', 'helper', 'svc-0']) expect(texts).toContain(`Container ${each} ended`)
    expect(texts).not.toContain('Container runner')
    expect(new Set(logs)).toContain('build')
    expect(logs).not.toContain('runner')
    expect(tail).toContain('last words')
  })

  it('with 137 that nobody asked to go is not excused', async () => {
    const { verdict } = await explained({ build: killed, helper: killed, service: killed, status: failed })
    expect(verdict?.class).toBe('sigkill-unknown')
    expect(verdict?.because.join()).not.toContain('succeeded')
  })

  it('whose build container was killed for memory is an OOM, while its helper still runs', async () => {
    const oom = terminated(137, { reason: 'OOMKilled', finishedAt: at(10) })
    const { verdict, nextSteps } = await explained({ build: oom, helper: running() })
    expect(verdict?.class).toBe('container-oom')
    expect(nextSteps.join()).toContain('runner_system_failure')
  })

  it('that the kubelet evicted was evicted, and not short of its own memory', async () => {
    const message = 'The node was low on resource: memory. Threshold quantity: 100Mi, available: 80Mi.'
    const { verdict, nextSteps } = await explained({
      build: killed,
      helper: killed,
      service: killed,
      status: { ...failed, reason: 'Evicted', message },
      event: { reason: 'Evicted', message },
    })
    expect(verdict).toMatchObject({ class: 'evicted-memory', confidence: 'proven' })
    expect(nextSteps.join()).toContain('runner_system_failure')
  })

  it('that was asked to go after an OOM is an OOM still', async () => {
    const oom = terminated(137, { reason: 'OOMKilled', finishedAt: at(30) })
    const { verdict } = await explained({
      build: oom,
      helper: killed,
      service: killed,
      status: failed,
      metadata: leaving,
    })
    expect(verdict?.class).toBe('container-oom')
  })

  it('in which a process was killed for memory ends with its deletion: that is no OOM of its container', async () => {
    const marked = terminated(137, { reason: 'OOMKilled', finishedAt: at(10) })
    const { verdict, nextSteps } = await explained({
      build: marked,
      helper: killed,
      service: killed,
      status: failed,
      metadata: leaving,
    })
    expect(verdict).toMatchObject({ class: 'guest-oom', confidence: 'likely' })
    expect(verdict?.because.join()).toContain('the container went on')
    expect(nextSteps.join()).toContain('script_failure')
  })

  it('whose annotations say nonsense has no number of a job, and no control characters reach the screen', async () => {
    const annotations = {
      'job.runner.gitlab.com/id': '9; reboot',
      'job.runner.gitlab.com/name': `\u001b[31m ${'x'.repeat(5_000)}`,
      'job.runner.gitlab.com/url': 'https://oauth2:glpat-x1Y2z3x1Y2z3x1Y2z3x1@gitlab.example.com/a',
    }
    const { job, nextSteps, tail, ...rest } = await explained({
      build: running(),
      helper: running(),
      metadata: { annotations },
    })
    expect(job?.forge).toBe('job not known')
    const all = JSON.stringify({ job, nextSteps, rest })
    expect(all).not.toMatch(/\\u001b|glpat-x1/)
    expect(all.length).toBeLessThan(20_000)
  })

  it('that runs has no verdict, and says what no record has', async () => {
    const { verdict, unknown, summary } = await explained({ build: running(), helper: running() })
    expect(verdict).toBeNull()
    expect(summary).toContain('has not ended')
    expect(unknown.join('\n')).toMatch(/GitLab was not asked.*\n.*script_failure/)
  })
})
