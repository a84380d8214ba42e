import { type HostUnderTest, hostContract } from '../../test/contract/host/index.ts'
import { createCluster } from './cluster/cluster.ts'
import { createPodHost } from './cluster/host.ts'
import { createKubelets } from './cluster/kubelet.ts'
import type { Template } from './cluster/model.ts'
import { placePods } from './cluster/placing.ts'
import { createPodView } from './cluster/view.ts'
import { createHostTwin } from './host.ts'
import { createIdleWorld } from './testing.ts'

let starts = 0
const newStart = () => ({ name: `p-${++starts}`, pool: 'p', secret: 'secret', avoidNodes: [] })
const nothing = async () => undefined

hostContract('the twin of a machine', machineTwin, { showsProgram: true })

hostContract('the twin of a cluster, isolated shape', () => clusterTwin('isolated'), {
  showsProgram: true,
  hasTemplates: true,
  hasNodes: true,
})
hostContract('the twin of a cluster, single shape', () => clusterTwin('single'), {
  hasTemplates: true,
  hasNodes: true,
})

async function machineTwin(): Promise<HostUnderTest> {
  const { world, until, giveJob } = createIdleWorld()
  const host = createHostTwin('host-0', world)
  return {
    host,
    newStart,
    until,
    [Symbol.asyncDispose]: nothing,
    end: async (name, exitCode) =>
      host
        .living()
        .find((each) => each.name === name)
        ?.end(exitCode, null),
    async begin(name) {
      giveJob(name)
      const signal = new AbortController().signal
      await until('its program runs', async () => (await host.find(name, signal))?.program === 'started')
    },
  }
}

async function clusterTwin(shape: Template['shape']): Promise<HostUnderTest> {
  const { world, scheduler, until, giveJob } = createIdleWorld()
  const { random, history } = world
  const unwatched = { onGone: () => undefined, onCreate: () => undefined }
  const cluster = createCluster({ scheduler, random, history, ...unwatched }, ['node-0', 'node-1'])
  placePods(cluster, 10, scheduler, random)
  const kubelets = createKubelets(cluster, world)
  let template: Template = { hash: 't1', shape, flaw: 'none' }
  const open = () =>
    createPodHost({
      cluster,
      scheduler,
      view: createPodView(cluster, scheduler, random),
      templateOf: () => template,
      mayWrite: () => undefined,
      beforeStop: () => undefined,
      onStop: () => undefined,
      onAvoid: () => undefined,
      isAnswerLost: () => 'no',
      onWire: async (_call, effect) => effect(),
    })
  let host = open()
  return {
    get host() {
      return host
    },
    newStart,
    until,
    [Symbol.asyncDispose]: nothing,
    end: async (name, exitCode) => kubelets.end(name, exitCode),
    async restart() {
      host = open()
    },
    async begin(name) {
      giveJob(name)
      const signal = new AbortController().signal
      await until('its program runs', async () => (await host.find(name, signal))?.program === 'started')
    },
    async tearOut(name) {
      cluster.remove(name, 'other', true)
      cluster.unhold(name, 'other')
    },
    async fill() {
      cluster.quota = cluster.pods.size
    },
    async losePlace(name) {
      kubelets.setMode(cluster.pods.get(name)?.node ?? '', 'cut')
    },
    async changeTemplate() {
      template = { ...template, hash: 't2' }
    },
  }
}
