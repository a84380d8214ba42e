import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { identityOf, isAlive } from '../../src/adapters/process/proc/index.ts'
import { exists } from '../support/go-build.ts'
import { type Cluster, down, openCluster, placeOf, remains, up } from './index.ts'
import { until } from './machine/until.ts'
import { newState, readState, withPart, writeState } from './state.ts'
import { suiteName } from './testing/names.ts'
import { createPod, isRunning, podThat } from './testing/pods.ts'
import { leftOf, seen, type Traces, tracesOf } from './testing/traces.ts'

const soonMs = 60_000
const cli = fileURLToPath(new URL('./cli.ts', import.meta.url))

describe('down', () => {
  it('leaves no process, mount, cgroup, namespace or interface of a cluster whose pods run', async () => {
    const { cluster, traces } = await busyCluster('end')
    expect((await seen(traces)).length).toBeGreaterThan(10)
    expect(await down(cluster.place)).toBe(true)
    expect(await leftOf(traces)).toEqual([])
    expect(await exists(cluster.place.folder)).toBe(false)
    expect(await down(cluster.place)).toBe(false)
  })

  it('leaves nothing after every part was killed, and neither where the state is lost', async () => {
    const { cluster, traces } = await busyCluster('dead')
    for (const { name } of (await cluster.parts.state()).parts) await cluster.parts.kill(name)
    expect((await seen(traces)).some((word) => word.startsWith('process'))).toBe(true) // the pods run on
    await rm(cluster.place.stateFile)
    expect(await down(cluster.place)).toBe(true)
    expect(await leftOf(traces)).toEqual([])
  })

  it('leaves nothing after the tool itself was killed while it started the cluster', async () => {
    const place = placeOf(suiteName('half'))
    const tool = spawn(process.execPath, [cli, 'up', '--name', place.name], { stdio: 'ignore' })
    const ended = once(tool, 'exit')
    await until('a node is there', soonMs, async () => {
      return (await readState(place))?.parts.some(({ name }) => name === 'node-1-containerd')
    })
    await expect(down(place)).rejects.toThrow(/is starting the cluster/)
    tool.kill('SIGKILL')
    await ended
    const cluster = await openCluster(place.name)
    const traces = await tracesOf(cluster)
    await cluster.api[Symbol.asyncDispose]()
    expect((await seen(traces)).length).toBeGreaterThan(5)
    expect(await down(place)).toBe(true)
    expect(await leftOf(traces)).toEqual([])
  })

  it('is not needed after a start that was called off', async () => {
    const place = placeOf(suiteName('off'))
    const ending = new AbortController()
    const started = up({ name: place.name, signal: ending.signal }, console.log)
    const refused = expect(started).rejects.toThrow('changed my mind')
    await until('a node is there', soonMs, async () => {
      return (await readState(place))?.parts.some(({ name }) => name === 'node-1-containerd')
    })
    ending.abort(new Error('changed my mind'))
    await refused
    expect(await remains(place)).toEqual([])
    expect(await exists(place.folder)).toBe(false)
  })

  it('ends no foreign process: one that has the recycled pid of a part lives on', async () => {
    const place = placeOf(suiteName('other'))
    const stranger = spawn('sleep', ['600'], { stdio: 'ignore' })
    await once(stranger, 'spawn')
    const identity = identityOf(stranger.pid ?? 0)
    if (identity === null) throw new Error('the stranger has ended')
    await mkdir(place.folder, { recursive: true })
    const options = { nodes: 1, kwokNodes: 0, kubernetesVersion: '', startedBy: null }
    const part = { name: 'etcd', command: ['etcd'], inside: null }
    const recorded = { ...identity, startTicks: identity.startTicks - 1 }
    await writeState(place, withPart(newState(options), { ...part, identity: recorded }))
    expect(await down(place)).toBe(true)
    expect(isAlive(identity)).toBe(true)
    stranger.kill()
  })
})

async function busyCluster(word: string): Promise<{ cluster: Cluster; traces: Traces }> {
  const cluster = await up({ name: suiteName(word) }, console.log)
  await createPod(cluster, 'runs', 'sleep 600', {
    spec: { volumes: [{ name: 'memory', emptyDir: { medium: 'Memory' } }] },
    container: { volumeMounts: [{ name: 'memory', mountPath: '/memory' }] },
  })
  await podThat(cluster, 'runs', isRunning)
  return { cluster, traces: await tracesOf(cluster) }
}
