import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openRegistry, person } from '../audits/registry/registry.ts'
import { busyboxEntries, busyboxImage } from '../cluster/images/index.ts'
import { until } from '../cluster/machine/until.ts'
import { arcApi } from '../cluster/testing/arc-kinds.ts'
import type { Bench, Case } from './cases.ts'
import { expectMade, type Json } from './ground.ts'
import { type Ran, start } from './holdfast.ts'

const lane = ['--scale-set', 'arc-runners/arc-demo']
const setPath = `${arcApi}/namespaces/arc-runners/autoscalingrunnersets/arc-demo`
const namespace = '/api/v1/namespaces/arc-runners'
const mergePatch = 'application/merge-patch+json'
const planted = 'planted-token-5e1c'
const withinMs = 30_000

/** A case, and what is closed after it. */
type Body = (bench: Bench, stack: AsyncDisposableStack) => Promise<void>

/** Probes with exactly the rights of deploy/probe-rbac.yaml; their pods really run. The Nix cache is a stand-in over real HTTP. */
const bodies: Readonly<Record<string, Body>> = {
  async 'a probe of the Nix cache: reachable, another name, nothing there, an unknown host; no pod is left'(
    bench,
    stack,
  ) {
    const { ask, api } = await opened(bench)
    const cache = stack.use(await openCache())
    const server = `http://${await bench.ground.cluster.expose(cache.port)}`
    const [host = ''] = server.slice(7).split(':')
    await expectMade(api, `${namespace}/secrets`, {
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'attic', namespace: 'arc-runners' } },
      stringData: { ATTIC_CACHE: 'main', ATTIC_TOKEN: planted },
    })
    const env = (value: string, name: object) => [
      { name: 'ATTIC_SERVER', value },
      { name: 'ATTIC_CACHE', ...name },
    ]
    const fromSecret = { valueFrom: { secretKeyRef: { name: 'attic', key: 'ATTIC_CACHE' } } }
    await setLane(bench, { env: env(server, fromSecret), envFrom: [{ secretRef: { name: 'attic' } }] })
    const good = await ask('nix-cache', ...lane)
    bench.say(good.out)
    assert.equal(good.code, 0, good.out)
    assert.match(good.out, /reachable \(likely\) from arc-runners\/arc-demo/)
    assert.ok(!(good.out + good.plan).includes(planted) && !cache.headers.join('\n').includes(planted))

    await setLane(bench, { env: env(server, { value: 'other' }) })
    const other = await ask('nix-cache', ...lane)
    assert.equal(other.code, 1, other.out)
    assert.match(other.out, /cache-name-mismatch \(likely\)/)

    await setLane(bench, { env: env(`http://${host}:9`, { value: 'main' }) })
    const away = await ask('nix-cache', ...lane)
    bench.say(away.out)
    assert.equal(away.code, 1, away.out)
    assert.match(away.out, /service-unreachable \(likely\)/)

    await setLane(bench, { env: env('http://nix-cache.nix-cache.svc:8080', { value: 'main' }) })
    assert.match((await ask('nix-cache', ...lane)).out, /stale-endpoint \(likely\)/)
  },

  async 'a probe of CA files: one that is missing, and one that a ConfigMap brings'(bench) {
    const { ask, api } = await opened(bench)
    await setLane(bench, { env: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/etc/ca/company.pem' }] })
    const missing = await ask('npm-tls', ...lane, '--registry', '127.0.0.1:9')
    bench.say(missing.out)
    assert.equal(missing.code, 1, missing.out)
    assert.match(missing.out, /build-ca-missing \(likely\)/)
    await expectMade(api, `${namespace}/configmaps`, {
      ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'ca', namespace: 'arc-runners' } },
      data: { 'company.pem': 'not a certificate' },
    })
    await setLane(
      bench,
      {
        env: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/etc/ca/company.pem' }],
        volumeMounts: [{ name: 'ca', mountPath: '/etc/ca' }],
      },
      { volumes: [{ name: 'ca', configMap: { name: 'ca' } }] },
    )
    const there = await ask('npm-tls', ...lane, '--registry', '127.0.0.1:9')
    assert.equal(there.code, 9, there.out)
    assert.match(there.out, /NODE_EXTRA_CA_CERTS=present[\s\S]*tool=none/)
  },

  async 'a probe of a pull: pulled with the right password, refused with a wrong one, and not found'(
    bench,
    stack,
  ) {
    const { ask, api, dataDir } = await opened(bench)
    await mkdir(dataDir, { recursive: true })
    const registry = stack.use(await openRegistry(dataDir, bench.say))
    const { cluster } = bench.ground
    await cluster.expose(registry.port, '127.0.0.1')
    const entries = await busyboxEntries('/bin/busybox')
    await registry.push({ name: 'acme/runner:1', entries, command: ['/bin/sh'] })
    const node = 'node-1'
    for (const [name, password] of Object.entries({ right: person.password, wrong: 'wrong' }))
      await expectMade(api, `${namespace}/secrets`, {
        ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'arc-runners' } },
        type: 'kubernetes.io/dockerconfigjson',
        stringData: {
          '.dockerconfigjson': JSON.stringify({
            auths: { [registry.host]: { username: person.name, password } },
          }),
        },
      })
    const pull = async (image: string, secret: string) => {
      await setLane(bench, { image: `${registry.host}/${image}` }, { imagePullSecrets: [{ name: secret }] })
      const answer = await ask('image-pull', ...lane, '--node', node)
      bench.say(answer.out)
      return answer
    }
    const refused = await pull('acme/runner:1', 'wrong')
    assert.equal(refused.code, 1, refused.out)
    assert.match(refused.out, /refused \(proven\), class credential-invalid[\s\S]*401/)
    const pulled = await pull('acme/runner:1', 'right')
    assert.equal(pulled.code, 0, pulled.out)
    assert.match(pulled.out, /pulled \(proven\)/)
    const absent = await pull('acme/runner:2', 'right')
    assert.equal(absent.code, 1, absent.out)
    assert.match(absent.out, /not-found \(proven\)/)
    assert.ok(![refused, pulled, absent].some(({ out }) => out.includes(person.password)))
  },

  async 'a probe whose lane changes after the plan makes nothing; nor does one without rights'(bench) {
    const { plan, run, pods } = await opened(bench)
    await setLane(bench, { env: [] })
    const { hash } = await plan('nix-cache', ...lane)
    await setLane(bench, { env: [{ name: 'A', value: 'b' }] })
    const changed = await run('probe', 'nix-cache', '--apply', hash)
    assert.equal(changed.code, 8, changed.out)
    assert.match(changed.out, /same-lane/)
    const other = await run('probe', 'npm-tls', '--apply', hash)
    assert.equal(other.code, 5, other.out)
    assert.deepEqual(await pods(), [])
    const elsewhere = await run('probe', 'nix-cache', '--scale-set', 'arc-systems/arc-demo')
    assert.equal(elsewhere.code, 5, elsewhere.out)
    assert.match(elsewhere.out, /forbidden/)
  },

  async 'a probe in a namespace of Pod Security restricted is admitted'(bench) {
    const { ask, api } = await opened(bench)
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
    await api.request('PATCH', namespace, { metadata: { labels } }, mergePatch)
    await setLane(bench, { env: [], securityContext: { privileged: true, runAsUser: 0 } })
    const { code, out } = await ask('nix-cache', ...lane)
    await api.request(
      'PATCH',
      namespace,
      { metadata: { labels: { 'pod-security.kubernetes.io/enforce': null } } },
      mergePatch,
    )
    assert.equal(code, 1, out)
    assert.match(out, /server-unset/)
  },

  async 'a probe that is interrupted removes its pod; what a killed one left goes by `probe clean`'(
    bench,
    stack,
  ) {
    const { plan, run, begin, pods } = await opened(bench)
    const cache = stack.use(await openCache('silent'))
    const server = `http://${await bench.ground.cluster.expose(cache.port)}`
    await setLane(bench, { env: [{ name: 'ATTIC_SERVER', value: server }] })
    const waiting = ['nix-cache', ...lane, '--deadline-seconds', '10'] as const
    const first = begin('probe', 'nix-cache', '--apply', (await plan(...waiting)).hash)
    await until('the pod is there', withinMs, async () => (await pods()).length === 1)
    first.child.kill('SIGTERM')
    const interrupted = await first.ended
    assert.equal(interrupted.code, 7, interrupted.out + interrupted.err)
    assert.deepEqual(await pods(), [])

    const second = begin('probe', 'nix-cache', '--apply', (await plan(...waiting)).hash)
    await until('the pod is there', withinMs, async () => (await pods()).length === 1)
    second.child.kill('SIGKILL')
    await second.ended
    const early = await run('probe', 'clean', '--namespace', 'arc-runners')
    assert.match(early.out, /no-longer-needed/)
    await sleep(42_000)
    const { hash } = await plan('clean', '--namespace', 'arc-runners')
    const cleaned = await run('probe', 'clean', '--apply', hash)
    bench.say(cleaned.out)
    assert.equal(cleaned.code, 0, cleaned.out)
    assert.deepEqual(await pods(), [])
    assert.equal((await run('trail', 'verify')).code, 0)
  },
}

export const probeCases: Readonly<Record<string, Case>> = Object.fromEntries(
  Object.entries(bodies).map(([name, body]) => [
    name,
    async (bench: Bench) => {
      const stack = new AsyncDisposableStack()
      await body(bench, stack).finally(() => stack.disposeAsync())
    },
  ]),
)

let folders = 0

async function opened({ ground, forge, folder }: Bench) {
  folders += 1
  const dataDir = path.join(folder, `probe-${folders}`)
  const { api } = ground.cluster
  await ground.make('0.14.2/a-healthy-idle', forge.url)
  const begin = (...args: readonly string[]) => start(dataDir, forge.url, ground.probeKubeconfig, ...args)
  const run = (...args: readonly string[]): Promise<Ran> => begin(...args).ended
  const pods = async (): Promise<readonly string[]> =>
    (
      (await api.request('GET', `${namespace}/pods?labelSelector=holdfast.dev/probe`)).body.items as Json[]
    ).map(({ metadata }) => metadata.name)
  const plan = async (of: string, ...args: readonly string[]) => {
    const { out, err } = await run('probe', of, ...args)
    const [, hash] = /--apply ([0-9a-f]{64})/.exec(out) ?? []
    if (hash === undefined) throw new Error(`no plan: ${out}${err}`)
    return { hash, out }
  }
  const ask = async (of: string, ...args: readonly string[]) => {
    const planned = await plan(of, ...args)
    assert.deepEqual(await pods(), [])
    const answer = await run('probe', of, '--apply', planned.hash)
    assert.deepEqual(await pods(), [], answer.out + answer.err)
    return { ...answer, plan: planned.out, out: `${planned.out}\n${answer.out}${answer.err}` }
  }
  return { api, dataDir, begin, run, pods, plan, ask }
}

/** The lane's one container, and what else its pods have. */
async function setLane({ ground }: Bench, container: object, spec: object = {}): Promise<void> {
  const image = { image: busyboxImage, imagePullPolicy: 'IfNotPresent' }
  const containers = [{ name: 'runner', ...image, ...container }]
  const none = { initContainers: null, serviceAccountName: null, volumes: null, imagePullSecrets: null }
  const template = { spec: { ...none, ...spec, containers } }
  const { status, text } = await ground.cluster.api.request(
    'PATCH',
    setPath,
    { spec: { template } },
    mergePatch,
  )
  assert.equal(status, 200, text)
}

/** A stand-in for the server of a Nix cache with one cache, `main`; a silent one never answers. */
async function openCache(how: 'answers' | 'silent' = 'answers') {
  const headers: string[] = []
  const server = createServer((request, response) => {
    headers.push(JSON.stringify(request.headers))
    if (how === 'silent') return
    const isKnown = request.url === '/' || request.url === '/main/nix-cache-info'
    response.writeHead(isKnown ? 200 : 404, { 'content-type': 'text/plain' })
    response.end(isKnown ? 'StoreDir: /nix/store\nPriority: 40\n' : '{"code":404,"error":"NoSuchCache"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    headers,
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
