import { readdir, readFile } from 'node:fs/promises'
import { expect } from 'vitest'
import {
  createCluster,
  createPodHost,
  findConnection,
  type Cluster as Ours,
  type PodHost,
  readHostId,
} from '../../../src/adapters/kubernetes/index.ts'
import type { PodPlan } from '../../../src/domain/pool/index.ts'
import { createClock } from '../../../src/platform/clock.ts'
import { createEntropy } from '../../../src/platform/entropy.ts'
import { KeptLog } from '../../../src/platform/lifecycle/fakes.ts'
import type { ClusterReader, ClusterWriter } from '../../../src/ports/cluster.ts'
import type { HostedRunner } from '../../../src/ports/runner-host.ts'
import { busyboxEntries, type Cluster } from '../index.ts'
import { until } from '../machine/until.ts'

export const namespace = 'runners'
export const image = 'holdfast.test/pod-host:1'
/** Its program is not in it. */
export const hollowImage = 'holdfast.test/pod-host-hollow:1'
export const soon = { timeout: 90_000, interval: 100 }
export const never = new AbortController().signal

const busybox = '/bin/busybox'
const path = `/api/v1/namespaces/${namespace}`

/** A stand-in for the poller: in pools named `idle…` no job ever comes, in others one is there already. */
const poller = `#!/bin/sh
case "$HOLDFAST_POOL" in
  idle*) echo "no job yet"; trap 'exit 10' TERM; sleep 600 & wait ;;
esac
if [ "$1" = --then ]; then shift; exec "$@"; fi
echo "a job came"
echo 'exec "$@"' > "$HOLDFAST_JIT_DIR/run"
`

export interface HostGround {
  readonly ours: Ours
  readonly host: PodHost
  /** Pools by name; a test adds its own. */
  readonly plans: Map<string, PodPlan>
  /** Requests of the host to the cluster, by verb and runner. */
  readonly calls: string[]
  /** Another host on the same cluster, as after a restart. */
  another(): Promise<PodHost>
  stop(): Promise<void>
}

/** A host on a real cluster, with images of its own, in which this is the poller. */
export async function openHost(real: Cluster, pollerScript = poller): Promise<HostGround> {
  await real.api.request('POST', '/api/v1/namespaces', { metadata: { name: namespace } })
  const account = `${path}/serviceaccounts/default`
  await until('the service account is there', soon.timeout, async () => {
    return (await real.api.request('GET', account)).status === 200
  })
  const script = { kind: 'file', path: 'holdfast/poller.sh', content: pollerScript, mode: 0o755 } as const
  const folder = { kind: 'folder', path: 'holdfast' } as const
  const entries = [...(await busyboxEntries(busybox)), folder, script]
  await real.load({ name: image, entries, command: ['/bin/sh'] })
  await real.load({ name: hollowImage, entries, command: ['/no/such/program'] })
  const log = new KeptLog()
  const [clock, entropy] = [createClock(), createEntropy()]
  const connection = await findConnection({ kubeconfig: real.kubeconfig, env: {}, clock, log })
  const ours = createCluster({ connection, clock, entropy, log })
  const hostId = await readHostId(ours, namespace, never)
  const plans = new Map<string, PodPlan>()
  const calls: string[] = []
  const running: Promise<void>[] = []
  const stopping = new AbortController()
  const another = async (): Promise<PodHost> => {
    const host = createPodHost({
      cluster: { ...ours, reader: countedReader(ours.reader, calls) },
      writer: () => countedWriter(ours.writer, calls),
      plan: (pool) => plans.get(pool),
      site: {
        namespace,
        hostId,
        serverUrl: 'http://holdfast.invalid',
        pollerImage: image,
        serviceAccount: 'default',
        audience: 'holdfast',
        tokenSeconds: 3_600,
        pollMs: 1_000,
        allow: ['hostPath', 'secrets'], // by what runners of these tests are given orders, and what is missing
      },
      clock,
      log,
    })
    running.push(host.run(stopping.signal))
    await host.whole(never)
    return host
  }
  return {
    ours,
    plans,
    calls,
    another,
    host: await another(),
    async stop() {
      stopping.abort()
      await Promise.all(running)
      await ours.close()
    },
  }
}

export function plan(script: string, over: Partial<PodPlan> = {}): PodPlan {
  return {
    shape: 'isolated',
    image,
    command: ['sh', '-c', script],
    runtimeClass: null,
    dind: null,
    resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '64Mi' } },
    template: {},
    stopGraceMs: 2_000,
    evidence: { tailLines: 200, tailBytes: 64 * 1024, deadlineMs: 20_000 },
    ...over,
  }
}

/** Starts a runner in a pool of its own. */
export async function start({ host, plans }: HostGround, pool: string, made: PodPlan): Promise<string> {
  plans.set(pool, made)
  const name = `${pool}-00000001`
  const outcome = await host.start({ name, pool, secret: '', avoidNodes: [] }, never)
  expect(outcome).toEqual({ kind: 'started' })
  return name
}

export async function seen(host: PodHost, name: string): Promise<HostedRunner | undefined> {
  return (await host.list()).find((runner) => runner.name === name)
}

/** Waits until a runner is as said, by the host's own list. */
export async function runnerThat(
  host: PodHost,
  name: string,
  is: Partial<HostedRunner>,
): Promise<HostedRunner> {
  await expect.poll(() => seen(host, name), soon).toMatchObject(is)
  return (await seen(host, name)) as HostedRunner
}

export function podOf(real: Cluster, name: string) {
  return real.api.request('GET', `${path}/pods/${name}`)
}

export async function isGone(real: Cluster, name: string): Promise<void> {
  await expect.poll(async () => (await podOf(real, name)).status, soon).toBe(404)
}

/** The process of this machine whose command line holds these words. */
export async function processOf(words: string): Promise<number> {
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (command.replaceAll('\0', ' ').startsWith(words)) return Number(pid)
  }
  throw new Error(`no process "${words}" runs`)
}

function countedWriter(writer: ClusterWriter, calls: string[]): ClusterWriter {
  return {
    create(kind, manifest, signal) {
      calls.push(`create ${manifest.metadata.name}`)
      return writer.create(kind, manifest, signal)
    },
    apply(kind, manifest, signal, options) {
      calls.push(`apply ${manifest.metadata.name}`)
      return writer.apply(kind, manifest, signal, options)
    },
    patch(kind, target, patch, signal, subresource) {
      calls.push(`patch ${target.name}`)
      return writer.patch(kind, target, patch, signal, subresource)
    },
    removeFinalizer(kind, target, finalizer, signal) {
      calls.push(`patch ${target.name}`)
      return writer.removeFinalizer(kind, target, finalizer, signal)
    },
    remove(kind, target, signal, options) {
      calls.push(`remove ${target.name}`)
      return writer.remove(kind, target, signal, options)
    },
  }
}

function countedReader(reader: ClusterReader, calls: string[]): ClusterReader {
  return {
    read(kind, place, signal) {
      calls.push(`read ${place.name}`)
      return reader.read(kind, place, signal)
    },
  }
}
