import { createHash } from 'node:crypto'
import { createServer } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startSimulatedForge } from '../../sim/forge/http/index.ts'
import { machineClock, machineEntropy } from '../../sim/forge/machine.ts'
import { forgeCalls, token as forgeToken, silentLog, webhookSecret } from '../../sim/forge/testing/kit.ts'
import {
  createCluster,
  createPodIdentity,
  findConnection,
  type Cluster as Ours,
  type Reflector,
} from '../../src/adapters/kubernetes/index.ts'
import { type Serving, serve } from '../../src/http/index.ts'
import { createClock } from '../../src/platform/clock.ts'
import { createEntropy } from '../../src/platform/entropy.ts'
import { KeptLog } from '../../src/platform/lifecycle/fakes.ts'
import type { ClusterObject } from '../../src/ports/cluster.ts'
import { type Bench, createBench } from '../support/holdfast-app.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { untilTestEnds } from '../support/until-test-ends.ts'
import {
  addresses,
  type Cluster,
  makePollerImage,
  makeSimRunnerImage,
  pollerImage,
  simRunnerCommand,
  simRunnerImage,
  up,
} from './index.ts'
import { prepareMachine } from './machine/needs.ts'
import { suiteName } from './testing/names.ts'
import { createPod, podThat } from './testing/pods.ts'
import { type RunnerPodWords, runnerPod } from './testing/runner-pod.ts'
import { tokenOf, tokenOfThePast } from './testing/tokens.ts'

const pods = '/api/v1/namespaces/default/pods'
const podKind = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', isNamespaced: true }
const [clock, entropy] = [createClock(), createEntropy()]
const hasEnded = ({ status }: { status: { phase: string } }) => ['Succeeded', 'Failed'].includes(status.phase)

describe('a pod and its Holdfast, on a real cluster', () => {
  let real: Cluster
  let ours: Ours
  let view: Reflector<ClusterObject>
  let bench: Bench
  let serving: Serving
  let url: string
  const stopping = new AbortController()
  let following: Promise<void>
  let busybox: string
  /** Reviews of tokens that the API server was asked for. */
  let reviewed = 0

  beforeAll(async () => {
    busybox = (await prepareMachine((line) => console.log(line))).busybox
    real = await up({ name: suiteName('poller') }, (line) => console.log(line))
    await real.load(await makePollerImage(busybox))
    const log = new KeptLog()
    const connection = await findConnection({ kubeconfig: real.kubeconfig, env: {}, clock, log })
    const metrics = {
      count: (_: string, { kind }: { kind?: string }) => void (kind === 'tokenreviews' && reviewed++),
    }
    ours = createCluster({ connection, clock, entropy, log, metrics })
    view = ours.view({ kind: podKind, namespace: 'default', transform: ({ metadata }) => ({ metadata }) })
    following = view.run(stopping.signal)
    await view.whole(stopping.signal)
    const identity = createPodIdentity({
      cluster: ours,
      verify: ours.verifyToken,
      clock,
      namespace: 'default',
      audience: 'holdfast',
      isSeen: ({ name, uid }) => view.get(`default/${name}`).value?.metadata.uid === uid,
    })
    bench = await createBench({ identity, publicUrl: 'https://ci.example/holdfast' })
    serving = await serve(bench.app, { host: '127.0.0.1', port: 0, drainMs: 0, clock })
    url = `http://${await real.expose(serving.port)}`
  })
  afterAll(async () => {
    stopping.abort()
    await following
    await serving?.close()
    await ours?.close()
    await real?.[Symbol.asyncDispose]()
  })

  async function start(words: Omit<RunnerPodWords, 'url'>): Promise<{ name: string; uid: string }> {
    const answer = await real.api.request('POST', pods, runnerPod({ url, ...words }))
    if (answer.status !== 201) throw new Error(answer.text)
    return { name: words.name, uid: answer.body.metadata.uid }
  }
  const logOf = async (name: string, container: string) =>
    (await real.api.request('GET', `${pods}/${name}/log?container=${container}`)).text
  const ask = async (runner: string, proof: string) => {
    const signal = AbortSignal.timeout(15_000)
    const answer = await bench.post('/v1/dispatch', proof, { runner }, { signal })
    return answer.status
  }

  it('come together by the token of the pod, and the runner gets nothing but its job', async () => {
    const name = 'linux-00000001'
    await bench.enrolUnbound(name)
    const id = await bench.queue(1)
    const script = [
      'echo "jit: $(cat "$2") again: $(timeout 1 cat "$2" || echo nothing)"; rm "$2"',
      'echo "left: $(ls -A /holdfast/jit | tr "\\n" " ")"; echo "setup: $(cat .setup_info)"',
      'echo "user: $(id -u)"; echo "mounts: $(grep -c -e token -e serviceaccount -e secrets /proc/mounts)"',
      'echo "files: $(find / -xdev \\( -name token -o -name "*serviceaccount*" \\) 2> /dev/null | grep -c .)"',
      'echo "environment: $(env | grep -c -e HOLDFAST_URL -e TOKEN)"',
      'echo "api: $(curl -sk -o /dev/null -w "%{http_code}" https://10.96.0.1/api/v1/namespaces/default/pods)"',
      `echo "dispatch: $(curl -s -o /dev/null -w "%{http_code}" -d '{"runner":"${name}"}' ${url}/v1/dispatch)"`,
    ].join('\n')
    const command = ['sh', '-c', script, 'program']
    const { uid } = await start({ name, image: pollerImage, command })
    const { status } = await podThat(real, name, hasEnded)
    expect(status.initContainerStatuses[0].state.terminated).toMatchObject({ exitCode: 0 })
    expect(await logOf(name, 'poller')).toBe(`holdfast poller: job ${id} is staged\n`)
    const lines = (await logOf(name, 'runner')).trimEnd().split('\n')
    const reported = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s)))
    expect(reported.jit).toMatch(/^jit-of-linux-00000001-\S+ again: nothing$/)
    expect(reported.left).toBe('run setup_info ')
    expect(reported).toMatchObject({ user: '1001', mounts: '0', files: '0', environment: '0' })
    expect(reported).toMatchObject({ api: '403', dispatch: '401' })
    const detail = `Pool: linux\nPod: ${name} (${uid})\nNode: node-1\nImage: ${pollerImage}\nJob: https://ci.example/holdfast/jobs/${id}`
    expect(JSON.parse(reported.setup ?? '')).toEqual([{ group: 'Holdfast runner', detail }])
    const row = await bench.ledger.findRunner(name)
    expect(row?.identityHash).toBe(createHash('sha256').update(`default/${name}/${uid}`).digest('hex'))
    expect([...bench.ledger.rows.attempts.values()].map(({ state }) => state)).toEqual(['acknowledged'])
    expect(reviewed).toBe(0) // its token is under a key that the API server publishes, and the pod is seen
  })

  it('are not kept apart by garbage, none of which reaches the API server', async () => {
    const name = 'linux-00000008'
    await bench.enrolUnbound(name)
    const made = await createPod(real, name, 'sleep 600')
    const good = await tokenOf(real, { pod: { name, uid: made.metadata.uid } })
    const [head = '', , signature = ''] = good.split('.')
    const before = reviewed
    for (let index = 0; index < 300; index += 1) {
      const claims = Buffer.from(JSON.stringify({ index })).toString('base64url')
      expect(await ask(name, `${head}.${claims}.${signature}`)).toBe(401)
    }
    await bench.queue(80)
    expect(await ask(name, good)).toBe(200)
    expect(reviewed).toBe(before)
  })

  it('come together in one container as well', async () => {
    const name = 'linux-00000006'
    await bench.enrolUnbound(name)
    await bench.queue(60)
    const script = 'echo "jit: $(cat "$2")"; ls -A /holdfast/jit; exit 7'
    await start({ name, image: pollerImage, command: ['sh', '-c', script, 'program'], isSingle: true })
    const { status } = await podThat(real, name, hasEnded)
    expect(status.containerStatuses[0].state.terminated).toMatchObject({ exitCode: 7 })
    expect(await logOf(name, 'runner')).toMatch(/^jit: jit-of-linux-00000006-\S+$/m)
  })

  it('come together where the volume is read-only, and it is said that the configuration stays', async () => {
    const name = 'linux-00000007'
    await bench.enrolUnbound(name)
    await bench.queue(70)
    const command = ['sh', '-c', 'echo "jit: $(cat "$2")"', 'program']
    await start({ name, image: pollerImage, command, isReadOnly: true })
    await podThat(real, name, hasEnded)
    const log = await logOf(name, 'runner')
    expect(log).toContain('could not be removed from /holdfast/jit: is it mounted read-only?')
    expect(log).toMatch(/^jit: jit-of-linux-00000007-\S+$/m)
  })

  it('do not come together where the pod is not that of the runner', async () => {
    const [mine, other] = ['linux-00000002', 'linux-00000003']
    const made = await createPod(real, mine, 'sleep 600')
    const another = await createPod(real, other, 'sleep 600')
    for (const name of [mine, other]) await bench.enrolUnbound(name)
    const pod = { name: mine, uid: made.metadata.uid }
    const good = await tokenOf(real, { pod })

    const elsewhere = '/api/v1/namespaces'
    await real.api.request('POST', elsewhere, { metadata: { name: 'elsewhere' } })
    const account = `${elsewhere}/elsewhere/serviceaccounts/default`
    await expect
      .poll(async () => (await real.api.request('GET', account)).status, { timeout: 60_000 })
      .toBe(200)
    const spec = { containers: [{ name: 'main', image: pollerImage, command: ['sleep', '600'] }] }
    const twin = await real.api.request('POST', `${elsewhere}/elsewhere/pods`, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: mine },
      spec,
    })
    const twinPod = { name: mine, uid: twin.body.metadata.uid }
    const refused = {
      'of another pod': await tokenOf(real, { pod: { name: other, uid: another.metadata.uid } }),
      'of another namespace': await tokenOf(real, { namespace: 'elsewhere', pod: twinPod }),
      'for another audience': await tokenOf(real, { audience: 'https://kubernetes.default.svc', pod }),
      'of no pod': await tokenOf(real, {}),
      expired: await tokenOfThePast(real, good, 3_600),
      'with another signature': `${good.slice(0, -8)}AAAAAAAA`,
      garbage: 'eyJhbGciOiJub25lIn0.e30.',
    }
    for (const [what, token] of Object.entries(refused))
      expect([what, await ask(mine, token)]).toEqual([what, 401])
    expect((await bench.ledger.findRunner(mine))?.identityHash).toBeNull()

    await bench.queue(20)
    // A token re-signed with a time of a minute ago is good: the refusal above was for the time, not for our signature.
    expect(await ask(mine, await tokenOfThePast(real, good, 60))).toBe(200)
    expect(await ask(mine, good)).toBe(200)
    expect(await ask(other, good)).toBe(401)
  })

  it('part when the pod is deleted, and its namesake is another', async () => {
    const name = 'linux-00000004'
    await bench.enrolUnbound(name)
    const made = await createPod(real, name, 'sleep 600')
    const token = await tokenOf(real, { pod: { name, uid: made.metadata.uid } })
    await bench.queue(40)
    const before = reviewed
    expect(await ask(name, token)).toBe(200)
    expect(reviewed).toBe(before)
    await real.api.request('DELETE', `${pods}/${name}`)
    await expect.poll(() => ask(name, token), { timeout: 60_000, interval: 1_000 }).toBe(401)
    expect(reviewed).toBeGreaterThan(before) // it is not seen any more: only the API server may still take it
    const again = await createPod(real, name, 'sleep 600')
    const next = await tokenOf(real, { pod: { name, uid: again.metadata.uid } })
    expect(await ask(name, next)).toBe(401)
  })

  it('say goodbye at once when a pod is deleted while it waits', async () => {
    const name = 'linux-00000005'
    await bench.enrolUnbound(name)
    await start({ name, image: pollerImage, command: ['true'] })
    await expect
      .poll(async () => (await bench.ledger.findRunner(name))?.state, { timeout: 60_000 })
      .toBe('polling')
    const before = Date.now()
    await real.api.request('DELETE', `${pods}/${name}`)
    await expect
      .poll(async () => (await real.api.request('GET', `${pods}/${name}`)).status, { timeout: 60_000 })
      .toBe(404)
    expect(Date.now() - before).toBeLessThan(20_000) // of the 30 s that it might have taken
  })

  it('run jobs of the simulated forge, whatever they do', async () => {
    await real.load(await makeSimRunnerImage(busybox))
    const port = await freePort()
    const folder = untilTestEnds(await temporaryFolder()).path
    const forge = await startSimulatedForge({
      folder: path.join(folder, 'forge'),
      port,
      runnersUrl: `http://${addresses.control}:${port}`,
      token: forgeToken,
      webhookUrl: null,
      webhookSecret,
      log: silentLog,
      delays: { renewEveryMs: 500, offlineAfterMs: 5_000, lostAfterMs: 10_000, pollHoldMs: 2_000 },
      clock: machineClock,
      entropy: machineEntropy,
    })
    onTestFinished(() => forge.close())
    await real.expose(port)
    const calls = forgeCalls(forge.url)
    await calls.send('POST', '/_sim/repositories', { repository: 'acme/shop' })
    const run = async (name: string, script: string) => {
      const id = await calls.submit({ script })
      const { jit } = await calls.mint(name)
      const staging = `cp /holdfast/run /holdfast/jit/run; echo "[]" > /holdfast/jit/setup_info; printf %s ${jit} > /holdfast/jit/jitconfig`
      const poller = { command: ['sh', '-c', staging] }
      await start({ name, image: simRunnerImage, command: simRunnerCommand, poller })
      const { status } = await podThat(real, name, hasEnded)
      const job = (await calls.truth()).jobs.find((each) => each.id === id)
      return { code: status.containerStatuses[0].state.terminated.exitCode, job, name }
    }
    const many =
      'i=0; while [ $i -lt 2000 ]; do echo "line $i"; i=$((i + 1)); done; sleep 600 & sleep 600 & sleep 0.2'
    const good = await run('sim-1', many)
    expect([good.code, good.job?.conclusion]).toEqual([0, 'success'])
    expect(await logOf('sim-1', 'runner')).toContain('line 1999\n')
    const filled =
      'head -c 1000000 /dev/zero > all; wc -c all; head -c 30000000 /dev/zero | tail -c 1 | wc -c; exit 3'
    const bad = await run('sim-2', filled)
    expect([bad.code, bad.job?.conclusion]).toEqual([0, 'failure'])
    expect(await logOf('sim-2', 'runner')).toMatch(
      /1000000 all\n1\nError: Process completed with exit code 3/,
    )
  })
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
