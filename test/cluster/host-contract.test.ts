import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import type { PodPlan } from '../../src/domain/pool/index.ts'
import { type HostUnderTest, hostContract } from '../contract/host/index.ts'
import { type Cluster, up } from './index.ts'
import { until } from './machine/until.ts'
import { suiteName } from './testing/names.ts'
import { type HostGround, namespace, never, openHost, plan, seen, soon } from './testing/pod-host.ts'

const mergePatch = 'application/merge-patch+json'
const pods = `/api/v1/namespaces/${namespace}/pods`
const quotas = `/api/v1/namespaces/${namespace}/resourcequotas`
const none = { spec: { hard: { pods: '0' } } }

/** Where a test writes what its runners do next; the pods see the folder as /mnt/orders. */
const runnersOrder = (word: string) => `/mnt/orders/${word}-$(hostname)`
const poller = `#!/bin/sh
if [ "$1" = --then ]; then shift; exec "$@"; fi
trap 'exit 10' TERM
until [ -e "${runnersOrder('begin')}" ]; do sleep 0.1; done
echo 'exec "$@"' > "$HOLDFAST_JIT_DIR/run"
`
const program = `until [ -s "${runnersOrder('end')}" ]; do sleep 0.1; done; exit "$(cat "${runnersOrder('end')}")"`

describe('the pod host on a real node', () => {
  let real: Cluster
  let ground: HostGround
  let orders: string
  beforeAll(async () => {
    real = await up({ name: suiteName('host-contract') }, (line) => console.log(line))
    ground = await openHost(real, poller)
    orders = path.join(real.place.folder, 'orders')
    await mkdir(orders, { mode: 0o755 })
  })
  afterAll(async () => {
    await ground?.stop()
    await real?.[Symbol.asyncDispose]()
  })

  hostContract('pods, isolated shape', () => openPods('isolated'), {
    showsProgram: true,
    hasTemplates: true,
    hasNodes: true,
  })
  hostContract('pods, single shape', () => openPods('single'), { hasTemplates: true, hasNodes: true })

  let opened = 0

  /** The cluster and what watches it are shared; a pool of its own keeps the runners of each test apart. */
  async function openPods(shape: PodPlan['shape']): Promise<HostUnderTest> {
    const pool = `pool-${++opened}`
    const names: string[] = []
    const undo: (() => Promise<unknown>)[] = []
    let { host } = ground
    const has = async (what: string, name: string) => writeFile(path.join(orders, `${what}-${name}`), '')
    ground.plans.set(pool, planOf(shape, orders))
    return {
      get host() {
        return host
      },
      newStart() {
        const name = `${pool}-${String(names.length).padStart(8, '0')}`
        names.push(name)
        return { name, pool, secret: '', avoidNodes: [] }
      },
      async end(name, exitCode) {
        await writeFile(path.join(orders, `end-${name}`), String(exitCode))
        await has('begin', name)
      },
      until: async (what, holds) => void (await until(what, soon.timeout, holds)),
      async restart() {
        host = await ground.another()
      },
      async begin(name) {
        await has('begin', name)
        const begun = async () => (await host.find(name, never))?.program === 'started'
        await until(`the program of ${name} runs`, soon.timeout, begun)
      },
      tearOut: (name) => remove(name),
      async fill() {
        await real.api.request('POST', quotas, { metadata: { name: pool }, ...none })
        undo.push(() => real.api.request('DELETE', `${quotas}/${pool}`))
        await until(
          'no pod more is allowed',
          soon.timeout,
          async () => (await host.headroom(pool)).more === 0,
        )
        undo.push(() =>
          until('pods are allowed', soon.timeout, async () => (await host.headroom(pool)).more !== 0),
        )
      },
      async losePlace(name) {
        const kubelet = `${(await seen(host, name))?.node}-kubelet`
        await real.parts.kill(kubelet)
        undo.push(() => real.startAgain(kubelet))
        const isBack = async () => (await host.nodes()).every(({ isReady }) => isReady)
        undo.push(() => until('the node is back', soon.timeout, isBack))
      },
      async changeTemplate() {
        ground.plans.set(pool, { ...planOf(shape, orders), stopGraceMs: 3_000 })
      },
      async [Symbol.asyncDispose]() {
        for (const step of undo) await step()
        await Promise.all(names.map(remove))
      },
    }
  }

  /** Past every guard, also the one that keeps a pod for its record. */
  async function remove(name: string): Promise<void> {
    await real.api.request('PATCH', `${pods}/${name}`, { metadata: { finalizers: null } }, mergePatch)
    await real.api.request('DELETE', `${pods}/${name}`, { gracePeriodSeconds: 0 })
  }
})

function planOf(shape: PodPlan['shape'], orders: string): PodPlan {
  const volumeMounts = [{ name: 'orders', mountPath: '/mnt/orders', readOnly: true }]
  const initContainers = shape === 'isolated' ? [{ name: 'poller', volumeMounts }] : []
  const template = {
    spec: {
      initContainers,
      containers: [{ name: 'runner', volumeMounts }],
      volumes: [{ name: 'orders', hostPath: { path: orders } }],
    },
  }
  return plan(program, { shape, template })
}
