import { describe, expect, it } from 'vitest'
import type { Container, PodManifest } from '../pod.ts'
import { buildPod } from '../testing/build-pod.ts'
import { anOrder, aPlan, withSpec } from '../testing/plans.ts'

const initOf = ({ spec }: PodManifest): string[] => spec.initContainers.map(({ name }) => name)
const runnerOf = ({ spec }: PodManifest): Container => spec.containers[0] as Container
const pollerOf = ({ spec }: PodManifest): Container => spec.initContainers.at(-1) as Container
const envOf = ({ env = [] }: Container) =>
  Object.fromEntries(env.map(({ name, value, valueFrom }) => [name, value ?? valueFrom?.fieldRef.fieldPath]))

describe('an isolated pod', () => {
  const pod = buildPod(anOrder())

  it('polls in one container and runs in another', () => {
    expect(initOf(pod)).toEqual(['check', 'poller'])
    expect(runnerOf(pod)).toMatchObject({ name: 'runner', image: 'holdfast.test/runner:1' })
    expect(runnerOf(pod).command).toEqual(['sh', '/holdfast/jit/run', '/home/runner/run.sh'])
  })

  it('gives the poller all that it sends and shows, and the runner only the place of its job', () => {
    expect(envOf(pollerOf(pod))).toEqual({
      HOLDFAST_URL: 'http://holdfast.example:8080',
      HOLDFAST_POOL: 'linux',
      HOLDFAST_RUNNER: 'metadata.name',
      HOLDFAST_POD_UID: 'metadata.uid',
      HOLDFAST_NODE: 'spec.nodeName',
      HOLDFAST_IMAGE: 'holdfast.test/runner:1',
      HOLDFAST_TOKEN_FILE: '/var/run/holdfast/token/token',
      HOLDFAST_JIT_DIR: '/holdfast/jit',
      HOLDFAST_POLL_MS: '30000',
    })
    expect(envOf(runnerOf(pod))).toEqual({ HOLDFAST_JIT_FILE: '/holdfast/jit/jitconfig' })
  })

  it('prints vitals where the plan says so, and else does not know of them', () => {
    const found = buildPod(anOrder({ plan: aPlan({ vitals: true }) }))
    expect(envOf(runnerOf(found))).toEqual({
      HOLDFAST_JIT_FILE: '/holdfast/jit/jitconfig',
      HOLDFAST_VITALS: '1',
    })
    expect(envOf(pollerOf(found)).HOLDFAST_VITALS).toBe('1')
    expect(JSON.stringify(pod)).not.toMatch(/vitals/i)
  })

  it('leaves the start to the image where the plan has no command', () => {
    expect(runnerOf(buildPod(anOrder({ plan: aPlan({ command: null }) }))).command).toBeUndefined()
  })

  it('lets the runner gain nothing, and bounds its disk', () => {
    expect(runnerOf(pod).securityContext).toEqual({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    })
    expect(pod.spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 1001,
      seccompProfile: { type: 'RuntimeDefault' },
    })
    expect(runnerOf(pod).resources).toEqual({
      requests: { cpu: '1', memory: '1Gi', 'ephemeral-storage': '1Gi' },
      limits: { memory: '2Gi', 'ephemeral-storage': '20Gi' },
    })
  })

  it.each([
    [{ requests: {}, limits: { 'ephemeral-storage': '5Gi' } }, undefined, '5Gi'],
    [{ requests: { 'ephemeral-storage': '50Gi' }, limits: {} }, '50Gi', '50Gi'],
  ])('asks for no more disk than it may have: %j', (resources, request, limit) => {
    const found = runnerOf(buildPod(anOrder({ plan: aPlan({ resources }) }))).resources
    expect(found?.requests?.['ephemeral-storage']).toBe(request)
    expect(found?.limits?.['ephemeral-storage']).toBe(limit)
  })

  it.each([
    [{ securityContext: { runAsUser: 2000 } }, 2000],
    [{ containers: [{ name: 'runner', securityContext: { runAsUser: 3000 } }] }, 3000],
    [
      {
        securityContext: { runAsUser: 2000 },
        containers: [{ name: 'runner', securityContext: { runAsUser: 3000 } }],
      },
      3000,
    ],
  ])('has a poller that runs as the runner does: %j', (spec, uid) => {
    expect(pollerOf(buildPod(withSpec(spec))).securityContext).toMatchObject({
      runAsUser: uid,
      runAsNonRoot: true,
    })
  })

  it('has a poller that is root only where jobs are, and then without any power', () => {
    const root = { securityContext: { runAsUser: 0, runAsNonRoot: false } }
    expect(pollerOf(buildPod(withSpec(root))).securityContext).toMatchObject({
      runAsUser: 0,
      runAsNonRoot: false,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
    })
  })

  it('does what the template prepares before it asks for a job', () => {
    const spec = { initContainers: [{ name: 'prepare', image: 'x' }] }
    expect(initOf(buildPod(withSpec(spec)))).toEqual(['prepare', 'check', 'poller'])
  })
})

describe('a single pod', () => {
  const pod = buildPod(anOrder({ plan: aPlan({ shape: 'single' }) }))

  it('polls and runs in one container', () => {
    expect(initOf(pod)).toEqual([])
    expect(pod.spec.containers).toHaveLength(1)
    expect(runnerOf(pod).command).toEqual(['sh', '/holdfast/poller.sh', '--then', '/home/runner/run.sh'])
    expect(envOf(runnerOf(pod))).toMatchObject({
      HOLDFAST_RUNNER: 'metadata.name',
      HOLDFAST_JIT_FILE: '/holdfast/jit/jitconfig',
    })
  })

  it('prints vitals where the plan says so', () => {
    const found = buildPod(anOrder({ plan: aPlan({ shape: 'single', vitals: true }) }))
    expect(envOf(runnerOf(found)).HOLDFAST_VITALS).toBe('1')
    expect(envOf(runnerOf(pod))).not.toHaveProperty('HOLDFAST_VITALS')
  })

  it('may run as whom its image says', () => {
    const spec = { securityContext: { runAsUser: null, runAsGroup: null, runAsNonRoot: null } }
    const found = buildPod(withSpec(spec, { shape: 'single' })).spec.securityContext
    expect(found).toEqual({ fsGroup: 1001, seccompProfile: { type: 'RuntimeDefault' } })
  })
})

describe('a pod with a Docker daemon', () => {
  const dind = { image: 'docker:dind' }
  const pod = buildPod(anOrder({ plan: aPlan({ dind }) }))

  it('has it as a sidecar of the runner, started before the poller asks, and not keeping the pod alive', () => {
    expect(initOf(pod)).toEqual(['externals', 'dind', 'check', 'poller'])
    expect(pod.spec.initContainers[1]).toMatchObject({ image: 'docker:dind', restartPolicy: 'Always' })
    expect(envOf(runnerOf(pod)).DOCKER_HOST).toBe('unix:///holdfast/docker/docker.sock')
  })

  it('shares with it what a job’s containers mount, at the same paths', () => {
    const mounts = runnerOf(pod).volumeMounts?.filter(({ name }) => name !== 'holdfast-jit')
    expect(mounts).toHaveLength(3)
    expect(pod.spec.initContainers[1]?.volumeMounts).toEqual(expect.arrayContaining(mounts ?? []))
  })

  it('opens its socket to the group that the runner has', () => {
    const spec = { securityContext: { fsGroup: 77 } }
    expect(buildPod(withSpec(spec, { dind })).spec.initContainers[1]?.args).toContain('--group=77')
  })

  it('bounds every folder', () => {
    for (const { name, emptyDir } of pod.spec.volumes) {
      if (name !== 'holdfast-token') expect(emptyDir?.sizeLimit).toMatch(/^\d+[MG]i$/)
    }
  })

  it('works in a volume that the template says', () => {
    const volumes = [{ name: 'work', ephemeral: { volumeClaimTemplate: { spec: {} } } }]
    const found = buildPod(withSpec({ volumes }, { dind })).spec.volumes.find(({ name }) => name === 'work')
    expect(found).toEqual(volumes[0])
  })
})
