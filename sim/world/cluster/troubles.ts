import type { Pool } from '../../../src/domain/pool/index.ts'
import type { History } from '../history.ts'
import type { Random } from '../random.ts'
import type { Scheduler } from '../scheduler.ts'
import type { Cluster } from './cluster.ts'
import type { Kubelets } from './kubelet.ts'
import type { LeaseTwin } from './lease.ts'
import { isOver, type Node, type Pod, type Template } from './model.ts'
import type { Declarations } from './pools.ts'
import type { PodView } from './view.ts'

export interface TroubleDeps {
  readonly cluster: Cluster
  readonly kubelets: Kubelets
  readonly declarations: Declarations
  readonly lease: LeaseTwin
  readonly views: () => readonly PodView[]
  readonly scheduler: Scheduler
  readonly random: Random
  readonly history: History
  readonly pools: readonly Pool[]
  readonly newTemplate: (flaw: Template['flaw']) => Template
  readonly onFall: (runner: string) => void
}

export interface Troubles {
  /** Something goes wrong now and then, for so long. */
  begin(forMs: number): void
  /** Holdfast is about to ask a pod to go. */
  beforeStop(name: string): void
  /** Everything is mended, and nothing new goes wrong. */
  mend(): void
  /** Whether nothing is broken any more: in some histories a node stays so for long after the rest is mended. */
  isMended(): boolean
}

/** How long a thing stays broken. */
const lastsMs = { from: 10_000, to: 4 * 60_000 } as const
/** Longer than Holdfast waits for what a node does not report. */
const longMs = { from: 6 * 60_000, to: 22 * 60_000 } as const
/** How long a copy works that somebody got going. */
const copyWorksMs = 8 * 60_000
const nodeModes = ['silent', 'silent', 'failing', 'cut', 'cut', 'dead'] as const
/** So long that what is to go from there is given up meanwhile. */
const hung = ['hung', 'hung', 'hung'] as const
const hungMs = { from: 16 * 60_000, to: 30 * 60_000 } as const
/** Shorter than the age at which a watch without events is stale. */
const blindMs = { from: 45_000, to: 55_000 } as const
const pauseMs = { from: 1_000, to: 60_000 } as const

/** Faults of nodes, people and the API server. */
export function createTroubles(deps: TroubleDeps): Troubles {
  const { cluster, kubelets, declarations, scheduler, random, history } = deps
  const mending = new Set<() => void>()
  const lasting = new Set<() => void>()
  let isCalm = false
  /** Before which write a leader stands still, in turn. */
  const writes = ['ledger.enrolAll', 'cluster.start']
  let pauses = 0
  /** Copies that somebody gets going in the very moment in which they are asked to go: every second one. */
  const gotGoing = new Set<string>()
  let copyCount = 0
  /** Whether the next pod is seen by nobody but who makes it, who is deposed when its runner may have asked for work. */
  let isBlinding = false
  const seenPods = new Set<string>()
  cluster.watch((name) => {
    if (seenPods.has(name) || !isBlinding) return void seenPods.add(name)
    seenPods.add(name)
    isBlinding = false
    history.note('cluster', 'all watches stall')
    for (const view of deps.views()) view.stall(random.between(blindMs.from, blindMs.to))
    scheduler.after(blindMs.from / 2, () => deps.lease.deleteByHand())
  })

  /** Breaks something, and mends it after a while or at the end. */
  function breakFor(mend: () => void): void {
    mending.add(mend)
    scheduler.after(random.between(lastsMs.from, lastsMs.to), () => {
      if (mending.delete(mend)) mend()
    })
  }
  function breakForLong(mend: () => void, { from, to }: typeof longMs | typeof hungMs = longMs): void {
    lasting.add(mend)
    scheduler.after(random.between(from, to), () => {
      lasting.delete(mend)
      mend()
    })
  }
  const aNode = (): Node | null => {
    const whole = [...cluster.nodes.values()].filter(({ mode, isCordoned }) => mode === 'ok' && !isCordoned)
    return whole.length === 0 ? null : random.pick(whole)
  }
  const aPod = (): Pod | null => {
    const there = [...cluster.pods.values()].filter((pod) => !isOver(pod.status))
    return there.length === 0 ? null : random.pick(there)
  }
  const isLasting = random.chance(0.25)
  const aPool = (): Pool => random.pick(deps.pools)

  const strokes: readonly (() => void)[] = [
    function nodeFails() {
      const node = aNode()
      if (node === null) return
      kubelets.setMode(node.name, random.pick(isLasting ? [...nodeModes, ...hung] : nodeModes))
      const mend = () => {
        const isLost = node.mode === 'cut' || node.mode === 'dead'
        if (isLost && cluster.nodes.size > 1 && random.chance(0.3)) return kubelets.removeNode(node.name)
        kubelets.setMode(node.name, 'ok')
      }
      if (!isLasting) breakFor(mend)
      else breakForLong(mend, node.mode === 'hung' ? hungMs : longMs)
    },
    function drain() {
      const node = aNode()
      if (node === null) return
      history.note('person', `cordons ${node.name}`)
      node.isCordoned = true
      breakFor(() => {
        node.isCordoned = false
      })
      if (!random.chance(0.4)) return
      scheduler.after(random.between(30_000, 120_000), () => {
        if (!node.isCordoned) return
        history.note('person', `drains ${node.name}`)
        for (const pod of [...cluster.pods.values()])
          if (pod.node === node.name) cluster.remove(pod.name, 'other', false)
      })
    },
    function pressure() {
      const node = aNode()
      if (node === null) return
      node.pressures = ['DiskPressure']
      breakFor(() => {
        node.pressures = []
      })
    },
    function strike() {
      const pod = aPod()
      if (pod !== null) kubelets.strike(pod.name, random.pick(['OOMKilled', 'Evicted']))
    },
    function deleted() {
      const pod = aPod()
      if (pod === null) return
      history.note('person', `deletes ${pod.name}`)
      cluster.remove(pod.name, 'other', random.chance(0.5))
    },
    function marksChanged() {
      const pod = aPod()
      if (pod === null) return
      const marks = random.pick(['others', 'none'] as const)
      history.note('person', `changes the marks of ${pod.name}: ${marks}`)
      cluster.change(pod.name, { marks })
      breakFor(() => void cluster.change(pod.name, { marks: 'ours' }))
    },
    function tornOut() {
      const pod = aPod()
      if (pod === null) return
      history.note('person', `tears out ${pod.name}`)
      // Its kubelet begins to stop it now. A failure from here on may be the job's own or the deletion's: nobody can know.
      deps.onFall(pod.name)
      cluster.remove(pod.name, 'other', true)
      cluster.unhold(pod.name, 'other')
    },
    function copied() {
      const { name: pool } = aPool()
      const name = `${pool}-${Array.from(random.bytes(4), (byte) => byte.toString(16).padStart(2, '0')).join('')}`
      history.note('person', `makes a copy of a pod of ${pool}`)
      const flaw = random.pick(['none', 'no-poller-image'] as const)
      if (copyCount++ % 2 === 0) gotGoing.add(name)
      cluster.create({ name, pool, secret: '', avoidNodes: [] }, deps.newTemplate(flaw), 'other')
    },
    function outage() {
      if (cluster.isOut) return
      history.note('cluster', 'the API server does not answer')
      cluster.isOut = true
      breakFor(() => {
        history.note('cluster', 'the API server answers again')
        cluster.isOut = false
        for (const view of deps.views()) view.resume()
      })
    },
    function stalled() {
      const views = deps.views()
      if (views.length === 0) return
      const view = random.pick(views)
      history.note('cluster', 'a watch stalls')
      view.stall(random.between(lastsMs.from, lastsMs.to))
    },
    function quota() {
      if (cluster.quota !== Number.POSITIVE_INFINITY) return
      cluster.quota = random.below(4)
      history.note('person', `sets a quota of ${cluster.quota}`)
      breakFor(() => {
        cluster.quota = Number.POSITIVE_INFINITY
      })
    },
    function roll() {
      declarations.declare(aPool(), deps.newTemplate('none'))
    },
    function flaw() {
      const pool = aPool()
      const flaws = ['no-poller-image', 'no-runner-image', 'bad-config', 'refused'] as const
      declarations.declare(pool, deps.newTemplate(random.pick(flaws)))
      breakFor(() => declarations.declare(pool, deps.newTemplate('none')))
    },
    function resized() {
      const pool = aPool()
      const template = declarations.templateOf(pool.name) ?? deps.newTemplate('none')
      const sizes = { minWarm: random.below(4), maxRunners: 1 + random.below(5) }
      declarations.declare(
        { ...pool, ...sizes, minWarm: Math.min(sizes.minWarm, sizes.maxRunners) },
        template,
      )
    },
    function relabelled() {
      const pool = aPool()
      const template = declarations.templateOf(pool.name) ?? deps.newTemplate('none')
      declarations.declare({ ...pool, labels: ['elsewhere'] }, template)
      breakFor(() => declarations.declare(pool, declarations.templateOf(pool.name) ?? template))
    },
    function spoiled() {
      const pool = aPool()
      declarations.spoil(pool.name)
      breakFor(() => declarations.declare(pool, deps.newTemplate('none')))
    },
    function removed() {
      const pool = aPool()
      declarations.remove(pool.name)
      breakFor(() => declarations.declare(pool, deps.newTemplate('none')))
    },
    function paused() {
      const forMs = random.between(pauseMs.from, pauseMs.to)
      if (random.chance(0.5)) deps.lease.holder()?.pause(forMs)
      else deps.lease.holder()?.pauseBefore(writes[pauses++ % writes.length] as string, forMs)
    },
    () => deps.lease.deleteByHand(),
    function overtaken() {
      isBlinding = true
    },
  ]

  return {
    begin(forMs) {
      /** Each history has its own troubles, so that histories differ in what is wrong, not only in when. */
      const own = strokes.filter(() => random.chance(0.4))
      const count = own.length === 0 ? 0 : 2 + random.below(14)
      for (let n = 0; n < count; n += 1) {
        scheduler.after(random.between(0, forMs), () => {
          if (!isCalm) random.pick(own)()
        })
      }
    },
    beforeStop(name) {
      if (!gotGoing.delete(name) || !kubelets.startByHand(name)) return
      scheduler.after(copyWorksMs, () => kubelets.end(name, 0))
    },
    mend() {
      isCalm = true
      for (const mend of mending) mend()
      mending.clear()
      for (const view of deps.views()) view.resume()
      for (const pool of deps.pools) declarations.declare(pool, deps.newTemplate('none'))
      keepDeclared()
    },
    isMended: () => isCalm && lasting.size === 0,
  }

  /** A pool that is on its way out is declared again when it is gone. */
  function keepDeclared(): void {
    const missing = deps.pools.filter(({ name }) => !declarations.isStanding(name))
    for (const pool of missing) declarations.declare(pool, deps.newTemplate('none'))
    if (missing.length > 0) scheduler.after(lastsMs.from, keepDeclared)
  }
}
