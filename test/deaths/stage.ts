import type { Life } from '../cluster/fleet/holdfast.ts'
import type { World } from '../cluster/fleet/world.ts'
import { addresses, simRunnerCommand } from '../cluster/index.ts'
import { runInside } from '../cluster/machine/start-part.ts'
import { until } from '../cluster/machine/until.ts'
import { run } from '../support/go-build.ts'
import { boundProcesses, containerProcesses, slowDown } from './host-side.ts'
import { type DeathLedger, deathLedger } from './ledger.ts'

const runsWithinMs = 120_000
const beginsWithinMs = 60_000
const sealedWithinMs = 120_000
const mergePatch = 'application/merge-patch+json'

// biome-ignore lint/suspicious/noExplicitAny: the API server's objects, read by tests
type Json = any

/** Acts open to the cause of a death on the cluster. */
export interface PodStage {
  /** The name of the pool that is this kind's own. */
  readonly pool: string
  readonly world: World
  readonly ledger: DeathLedger
  /** The program of a runner of the simulated forge. */
  readonly runnerCommand: readonly string[]
  /** Where runners reach the forge. */
  readonly forge: { readonly host: string; readonly port: number }
  /** Submits a job and gives the runner that runs it. */
  running(script?: string): Promise<string>
  /** Submits a job and gives the first runner that was made for it, whether it starts or not. */
  begun(script?: string): Promise<string>
  pod(name: string): Promise<Json>
  nodeOf(name: string): Promise<string>
  /** Changes the pod of a runner. */
  patchPod(name: string, change: object): Promise<void>
  remove(name: string, graceSeconds?: number): Promise<void>
  evict(name: string): Promise<void>
  /** Any other request; throws where it is refused. */
  api(method: string, path: string, body?: object, contentType?: string): Promise<Json>
  /** In the namespaces of a node. */
  inNode(node: string, command: readonly string[]): Promise<void>
  /** In the network of a runner's pod, from outside of it. */
  inNetworkOf(name: string, command: readonly string[]): Promise<void>
  /** Signals the program of a runner's container from outside. */
  signal(name: string, signal: NodeJS.Signals): Promise<void>
  /** Bounds how many processes a runner may have, from outside. */
  limitProcesses(name: string, most: number): Promise<void>
  /** Removes what the containers of a runner wrote from its node. */
  removeLogs(name: string): Promise<void>
  /** Writes an end of its runner into the status of its pod, whose kubelet then goes on and finds it alive. */
  sayEnded(name: string, terminated: object): Promise<void>
  /** Writes an event about the container of a runner, as its kubelet would. */
  sayEvent(name: string, reason: string, message: string): Promise<void>
  /** Waits until the end of a runner is on record. */
  sealed(name: string): Promise<void>
  pause(ms: number): Promise<void>
  /** Takes nearly all processor time from a runner, from outside. */
  starve(name: string): Promise<void>
  /** The Holdfast that serves: it can be killed, and started again. */
  readonly holdfast: OneHoldfast
}

export interface OneHoldfast {
  kill(): Promise<void>
  start(): Promise<void>
  pid(): number
}

/** Holds the one Holdfast of the world. */
export function holdfastOf(world: World): OneHoldfast {
  let life: Life | null = null
  return {
    async kill() {
      life?.signal('SIGKILL')
      await life?.exited
    },
    async start() {
      life = await world.holdfast()
      await life.serving
    },
    pid() {
      if (life === null) throw new Error('no Holdfast was started')
      return life.pid
    },
  }
}

export function podStage(world: World, pool: string, holdfast: PodStage['holdfast']): PodStage {
  const ledger = deathLedger(world.rows)
  const podPath = (name: string) => world.at(`pods/${name}`)
  const api: PodStage['api'] = async (method, path, body, contentType) => {
    const answer = await world.cluster.api.request(method, path, body, contentType)
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.body
  }
  const pod: PodStage['pod'] = (name) => api('GET', podPath(name))
  /** A job may run before the kubelet has said that its container does. */
  const processes = (name: string) =>
    until(`the kubelet says that ${name} runs`, runsWithinMs, async () => {
      const { status } = await pod(name)
      const runner = status.containerStatuses?.find((each: Json) => each.name === 'runner')
      return runner?.state?.running !== undefined && containerProcesses(runner.containerID)
    })
  return {
    pool,
    world,
    ledger,
    holdfast,
    api,
    pod,
    runnerCommand: simRunnerCommand,
    forge: { host: addresses.control, port: Number(new URL(world.forge.url).port) },
    async running(script = 'sleep 300') {
      await world.submit(script, pool)
      return until(`a job runs in ${pool}`, runsWithinMs, () => ledger.busy(pool))
    },
    async begun(script = 'sleep 300') {
      await world.submit(script, pool)
      return until(`a runner of ${pool} is made`, beginsWithinMs, () => ledger.first(pool))
    },
    nodeOf: async (name) => (await pod(name)).spec.nodeName,
    async patchPod(name, change) {
      await api('PATCH', podPath(name), change, mergePatch)
    },
    async remove(name, graceSeconds) {
      const grace = graceSeconds === undefined ? '' : `?gracePeriodSeconds=${graceSeconds}`
      await api('DELETE', `${podPath(name)}${grace}`)
    },
    async evict(name) {
      const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } }
      await api('POST', `${podPath(name)}/eviction`, eviction)
    },
    async inNode(node, command) {
      const { place, parts } = world.cluster
      await runInside(place, await parts.state(), node, command)
    },
    async inNetworkOf(name, command) {
      const { init } = await processes(name)
      await run('nsenter', ['--target', `${init}`, '--net', '--', ...command])
    },
    async signal(name, signal) {
      process.kill((await processes(name)).init, signal)
    },
    async limitProcesses(name, most) {
      await boundProcesses((await processes(name)).init, most)
    },
    async removeLogs(name) {
      const { metadata, spec } = await pod(name)
      const folder = `/var/log/pods/${metadata.namespace}_${name}_${metadata.uid}`
      await this.inNode(spec.nodeName, ['rm', '-rf', folder])
    },
    async sayEnded(name, terminated) {
      await processes(name)
      const { status } = await pod(name)
      const node = await this.nodeOf(name)
      await world.cluster.parts.kill(`${node}-kubelet`)
      try {
        const ended = { ...terminated, startedAt: status.startTime, finishedAt: new Date().toISOString() }
        const containerStatuses = status.containerStatuses.map((each: Json) =>
          each.name === 'runner'
            ? { ...each, ready: false, started: false, state: { terminated: ended } }
            : each,
        )
        const patch = { status: { phase: 'Failed', containerStatuses } }
        await api('PATCH', `${podPath(name)}/status`, patch, mergePatch)
        await this.sealed(name)
      } finally {
        await world.cluster.startAgain(`${node}-kubelet`)
      }
    },
    async sayEvent(name, reason, message) {
      const { uid } = (await pod(name)).metadata
      const about = {
        kind: 'Pod',
        namespace: world.namespace,
        name,
        uid,
        fieldPath: 'spec.containers{runner}',
      }
      const at = new Date().toISOString()
      await api('POST', world.at('events'), {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { generateName: `${name}.` },
        type: 'Warning',
        involvedObject: about,
        reason,
        message,
        count: 1,
        firstTimestamp: at,
        lastTimestamp: at,
      })
    },
    async sealed(name) {
      await until(`the end of ${name} is on record`, sealedWithinMs, () => ledger.sealed(name))
    },
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    async starve(name) {
      await slowDown((await processes(name)).init)
    },
  }
}
