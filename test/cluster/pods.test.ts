import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PodOrder, problemsOf, runnerNetworkPolicy } from '../../src/adapters/kubernetes/pods/index.ts'
import { buildPod } from '../../src/adapters/kubernetes/pods/testing/build-pod.ts'
import { anOrder, aPlan, site } from '../../src/adapters/kubernetes/pods/testing/plans.ts'
import { promisesBroken } from '../../src/adapters/kubernetes/pods/testing/promises.ts'
import { harmless, joined } from '../../src/adapters/kubernetes/pods/testing/templates.ts'
import type { PodPlan } from '../../src/domain/pool/index.ts'
import { busyboxImage, type Cluster, makePollerImage, pollerImage, up } from './index.ts'
import { prepareMachine } from './machine/needs.ts'
import { suiteName } from './testing/names.ts'
import { type Pod, podThat } from './testing/pods.ts'

const pods = '/api/v1/namespaces/default/pods'
const jit = 'a-configuration'
const triedPods = 300

describe('pods of every shape on a real cluster', () => {
  let real: Cluster
  let url: string
  /** Holdfast's answers to a runner that asks for a job. */
  let answers: (path: string) => { readonly status: number; readonly body?: object }
  const server = createServer((request, response) => {
    const { status, body } = answers(request.url ?? '')
    request.resume().on('end', () => response.writeHead(status).end(body && JSON.stringify(body)))
  })

  beforeAll(async () => {
    const { busybox } = await prepareMachine((line) => console.log(line))
    real = await up({ name: suiteName('pods') }, (line) => console.log(line))
    await real.load(await makePollerImage(busybox))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://${await real.expose((server.address() as AddressInfo).port)}`
  })
  afterAll(async () => {
    server.close()
    await real?.[Symbol.asyncDispose]()
  })

  const inDefault = (over: Partial<PodOrder> = {}) =>
    anOrder({ site: { ...site, namespace: 'default' }, ...over })
  const tried = (manifest: object) =>
    real.api.request('POST', `${pods}?dryRun=All&fieldValidation=Strict`, manifest)

  /** Makes the pod of a runner that runs this script on its job. */
  async function create(runner: string, script: string, over: Partial<PodPlan> = {}): Promise<void> {
    const plan = aPlan({
      image: busyboxImage,
      command: ['sh', '-c', script, 'program'],
      stopGraceMs: 1_000,
      resources: { requests: {}, limits: {} },
      ...over,
    })
    const own = { ...site, namespace: 'default', serverUrl: url }
    const answer = await real.api.request('POST', pods, buildPod(anOrder({ runner, plan, site: own })))
    if (answer.status !== 201) throw new Error(answer.text)
  }
  /** The same, and gives the pod at its end. */
  async function run(...words: Parameters<typeof create>): Promise<Pod> {
    await create(...words)
    return podThat(real, words[0], ({ status }) => ['Succeeded', 'Failed'].includes(status.phase))
  }
  const logOf = async (runner: string, container = 'runner') =>
    (await real.api.request('GET', `${pods}/${runner}/log?container=${container}`)).text
  const initOf = (status: Pod, container: string) =>
    status.initContainerStatuses?.find(({ name }: { name: string }) => name === container)
  const giveJob = () => {
    const attempt = '00000000-0000-4000-8000-000000000000'
    answers = (path) =>
      path.endsWith('/ack')
        ? { status: 200, body: { acknowledged: true } }
        : { status: 200, body: { attempt, jit: jit, job: { id: 7, url: 'http://holdfast/jobs/7' } } }
  }

  it('are accepted as they are, and keep every promise as the API server stores them', async () => {
    const plans = fc.record({
      shape: fc.constantFrom('isolated' as const, 'single' as const),
      dind: fc.constantFrom(null, { image: 'docker:dind' }),
      command: fc.constantFrom(null, ['run.sh']),
      parts: fc.subarray([...harmless], { maxLength: 4 }),
      avoidNodes: fc.subarray(['node-1', 'node-2']),
    })
    const seen = { isolated: 0, single: 0 }
    for (const { parts, avoidNodes, ...rest } of fc.sample(plans, { numRuns: triedPods, seed: 5 })) {
      const plan = aPlan({ ...rest, template: { spec: joined(parts) } })
      if (problemsOf(plan).length > 0) continue
      const order = inDefault({ plan, avoidNodes })
      const answer = await tried(buildPod(order))
      expect(answer.status, `${answer.text}\n${JSON.stringify(plan)}`).toBe(201)
      expect(promisesBroken(answer.body, { ...order, image: plan.image })).toEqual([])
      seen[plan.shape] += 1
    }
    expect(Math.min(seen.isolated, seen.single)).toBeGreaterThan(50)
  })

  it('share a network policy that the API server accepts', async () => {
    const path = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies'
    const answer = await real.api.request(
      'POST',
      `${path}?dryRun=All&fieldValidation=Strict`,
      runnerNetworkPolicy('default'),
    )
    expect(answer.status, answer.text).toBe(201)
  })

  it.each<[string, object]>([
    ['0000a001', {}],
    ['0000a002', { securityContext: { runAsUser: 2000, runAsGroup: 2000 } }],
    ['0000a003', { securityContext: { fsGroup: null } }],
    [
      '0000a004',
      { containers: [{ name: 'runner', securityContext: { runAsUser: 0, runAsNonRoot: false } }] },
    ],
  ])('hand a job from the poller to the runner, who has it once and no token: %s %j', async (id, spec) => {
    giveJob()
    const name = `linux-${id}`
    const script = [
      'echo "job $(cat "$2")"; rm "$2"; echo "left $(ls /holdfast/jit | tr "\\n" " ")"',
      'echo "tokens $(grep -c -e token -e serviceaccount /proc/mounts) $(ls /var/run 2> /dev/null | grep -c .)"',
      'echo "powers $(grep CapEff /proc/self/status | tr -d "\\t") $(grep NoNewPrivs /proc/self/status | tr -d "\\t")"',
    ].join('\n')
    const { status } = await run(name, script, { template: { spec } })
    const log = await logOf(name)
    expect(status.phase, `${await logOf(name, 'poller')}${log}`).toBe('Succeeded')
    // Lines of the launcher's other stream may appear anywhere in between.
    expect(log).toContain(`job ${jit}\n`)
    expect(log).toContain('left run setup_info \ntokens 0 0\n')
    expect(log).toContain('powers CapEff:0000000000000000 NoNewPrivs:1\n')
  })

  it('end without a start of the runner where the poller gets the answer 410', async () => {
    answers = () => ({ status: 410 })
    const { status } = await run('linux-0000b001', 'echo never')
    expect(status.phase).toBe('Failed')
    expect(initOf(status, 'poller').state.terminated).toMatchObject({ exitCode: 10 })
    expect(status.containerStatuses[0]).toMatchObject({ started: false, state: { waiting: {} } })
  })

  const ofRunner = (log: object) => ({ template: { spec: { containers: [{ name: 'runner', ...log }] } } })
  const fromNowhere = { valueFrom: { configMapKeyRef: { name: 'nowhere', key: 'a' } } }
  it.each<[string, Partial<PodPlan>, RegExp]>([
    ['0000f001', { image: 'holdfast.test/nothing:1' }, /^(ErrImagePull|ImagePullBackOff)/],
    [
      '0000f002',
      { command: ['/no/such/program'] },
      /^Error: .*"\/no\/such\/program".* got none at that path/,
    ],
    ['0000f003', { command: ['/etc'] }, /^Error: .*got a folder/],
    [
      '0000f004',
      ofRunner({ env: [{ name: 'A', ...fromNowhere }] }),
      /^CreateContainerConfigError: .*"nowhere"/,
    ],
    ['0000f005', ofRunner({ envFrom: [{ secretRef: { name: 'nowhere' } }] }), /^CreateContainerConfigError/],
  ])('show what keeps the runner from starting before the poller asks: %s %j', async (id, over, words) => {
    const asked: string[] = []
    answers = (path) => {
      asked.push(path)
      return { status: 410 }
    }
    const name = `linux-${id}`
    await create(name, 'exit 0', over)
    const { status } = await podThat(real, name, (pod) => {
      const { waiting, terminated } = initOf(pod.status, 'check')?.state ?? {}
      return words.test(`${(waiting ?? terminated)?.reason}: ${(waiting ?? terminated)?.message}`)
    })
    expect(initOf(status, 'poller').state).toEqual({ waiting: { reason: 'PodInitializing' } })
    expect(status.containerStatuses[0].state).toEqual({ waiting: { reason: 'PodInitializing' } })
    expect(asked).toEqual([])
  })

  it('poll and run in one container, in the single shape', async () => {
    giveJob()
    const over = { shape: 'single', image: pollerImage } as const
    const { status, spec } = await run('linux-0000c001', 'echo "job $(cat "$2")"', over)
    expect(await logOf('linux-0000c001')).toContain(`job ${jit}\n`)
    expect(status).toMatchObject({ phase: 'Succeeded', containerStatuses: [{ name: 'runner' }] })
    expect(spec.initContainers).toBeUndefined()
  })

  it('end with the runner although a sidecar would go on', async () => {
    giveJob()
    const command = ['sh', '-c', 'trap "exit 0" TERM; while true; do sleep 0.1; done']
    const helper = { name: 'helper', image: busyboxImage, restartPolicy: 'Always', command }
    const { status } = await run('linux-0000d001', 'exit 3', {
      template: { spec: { initContainers: [helper] } },
    })
    expect(status.phase).toBe('Failed')
    expect(status.containerStatuses[0].state.terminated).toMatchObject({ exitCode: 3 })
  })

  it('are not placed on a node that they avoid', async () => {
    const affinity = {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'Exists' }] },
            { matchExpressions: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }] },
          ],
        },
      },
    }
    const resources = { requests: {}, limits: {} }
    const plan = aPlan({ image: busyboxImage, resources, template: { spec: { affinity } } })
    const runner = 'linux-0000e001'
    const manifest = buildPod(inDefault({ runner, plan, avoidNodes: ['node-1'] }))
    expect((await real.api.request('POST', pods, manifest)).status).toBe(201)
    const { status } = await podThat(real, runner, (pod) =>
      pod.status.conditions?.some(({ reason }: { reason?: string }) => reason === 'Unschedulable'),
    )
    expect(status.conditions[0].message).toContain("didn't match Pod's node affinity")
  })
})
