import type { StartProblem } from '../../../src/domain/pool/index.ts'
import type { History } from '../history.ts'
import { liveAsRunner, type RunnerWorld } from '../runner.ts'
import type { Cluster } from './cluster.ts'
import {
  type Container,
  isOver,
  type NodeMode,
  type Pod,
  type PodStatus,
  pending,
  type Template,
} from './model.ts'

/** A program that runs on a node, whatever the API server shows. */
interface Program {
  readonly pod: Pod
  readonly node: string
  /** Null until its first container runs, then whether one of them still does. */
  isAlive: boolean | null
  isBeingEnded: boolean
  leavingBy: Pod['leavingBy']
  status: PodStatus
}

/** The kubelets of all nodes. */
export interface Kubelets {
  /** Names of pods of which a program runs somewhere. */
  living(): readonly string[]
  /** Somebody gets a pod's program going that its node could not start, which is reported at once; false: not now. */
  startByHand(name: string): boolean
  /** A pod's program ends by itself. */
  end(name: string, exitCode: number): void
  /** Ends a pod's program as a node may: out of memory, evicted. */
  strike(name: string, how: 'OOMKilled' | 'Evicted'): void
  setMode(node: string, mode: NodeMode): void
  /** The machine is gone for good. */
  removeNode(node: string): void
}

/** Silent nodes lose their pods after this. */
const evictAfterMs = 5 * 60_000
/** The time until the cluster notices that a node is silent. */
const noticedMs = 40_000
const collectedMs = 30_000
/** How soon a container is tried again whose runtime hung. */
const hungLookMs = 5_000
const sigterm = 143
const sigkill = 137

export function createKubelets(
  cluster: Cluster,
  world: RunnerWorld & { readonly history: History },
): Kubelets {
  const { scheduler, random, history } = world
  const programs = new Map<string, Program>()

  const modeOf = (node: string): NodeMode => cluster.nodes.get(node)?.mode ?? 'dead'
  const isReachable = (node: string) => !['cut', 'dead'].includes(modeOf(node))
  const isSeeing = (node: string) => isReachable(node) && modeOf(node) !== 'hung'

  function report(program: Program): void {
    scheduler.after(random.chance(0.05) ? random.between(400, 3_000) : random.between(5, 400), () => {
      if (!isSeeing(program.node) || cluster.pods.get(program.pod.name)?.uid !== program.pod.uid) return
      cluster.change(program.pod.name, { status: program.status })
    })
  }
  function set(program: Program, to: Partial<PodStatus>): void {
    program.status = { ...program.status, ...to }
    report(program)
  }
  const running = (): Container => ({
    ...pending.runner,
    state: 'running',
    startedAt: scheduler.now(),
  })

  /** The node's kubelet looks at a pod of its own. */
  function sync(program: Program): void {
    if (!isSeeing(program.node) || isOver(program.status)) return
    const pod = cluster.pods.get(program.pod.name)
    const isWanted = pod?.uid === program.pod.uid && pod.leavingSince === null
    if (!isWanted) return void end(program)
    if (program.isAlive === null) begin(program)
  }
  function begin(program: Program): void {
    const { template } = program.pod
    const mode = modeOf(program.node)
    const hindrance = hindranceOf(template, mode)
    if (hindrance !== null) set(program, { startProblem: { ...hindrance, since: scheduler.now() } })
    if (hindrance !== null || mode === 'silent') return
    program.isAlive = true
    const first = template.shape === 'single' ? { runner: running() } : { poller: running() }
    set(program, { phase: 'Running', startProblem: null, ...first })
    const { name, uid } = program.pod
    history.note(name, `starts on ${program.node}`)
    liveAsRunner(
      {
        name,
        get alive() {
          return program.isAlive === true
        },
        end: (exitCode, signal) => over(program, exitCode, signal, null),
        ...(template.shape === 'isolated' && { handOver: () => handOver(program) }),
      },
      proofOf(name, uid),
      world,
    )
  }
  /** The poller has staged its JIT: its container ends, and the runner's begins. */
  function handOver(program: Program): Promise<void> {
    const poller = { ...program.status.poller, state: 'terminated', exitCode: 0, finishedAt: scheduler.now() }
    set(program, { poller: poller as Container })
    return new Promise((resolve) => {
      scheduler.after(random.between(50, 1_500), function start() {
        if (!program.isAlive) return
        if (modeOf(program.node) === 'hung') return void scheduler.after(hungLookMs, start)
        const isThere = program.pod.template.flaw !== 'no-runner-image'
        set(
          program,
          isThere ? { runner: running() } : { startProblem: { ...noImage, since: scheduler.now() } },
        )
        if (isThere) resolve()
      })
    })
  }
  function end(program: Program): void {
    if (program.isBeingEnded) return
    if (program.isAlive === null && modeOf(program.node) === 'silent') return
    program.isBeingEnded = true
    scheduler.after(random.between(20, 2_000), () => {
      program.isBeingEnded = false
      if (!isSeeing(program.node)) return
      if (program.isAlive && program.leavingBy === 'holdfast') world.onStop(program.pod.name)
      over(program, sigterm, 'SIGTERM', null)
    })
  }
  function over(
    program: Program,
    exitCode: number | null,
    signal: string | null,
    reason: string | null,
  ): void {
    if (isOver(program.status)) return
    if (exitCode !== 0) world.onFall(program.pod.name)
    program.isAlive = false
    const { poller, runner } = program.status
    const close = (container: Container): Container =>
      container.state !== 'running'
        ? container
        : {
            state: 'terminated',
            exitCode: exitCode ?? sigkill,
            signal,
            startedAt: container.startedAt,
            finishedAt: scheduler.now(),
            reason: reason ?? (exitCode === 0 ? 'Completed' : 'Error'),
          }
    const isSuccess = exitCode === 0 && runner.state === 'running'
    history.note(program.pod.name, `ended with ${reason ?? signal ?? exitCode} on ${program.node}`)
    set(program, {
      phase: isSuccess ? 'Succeeded' : 'Failed',
      reason: reason === 'Evicted' ? reason : null,
      poller: close(poller),
      runner: close(runner),
    })
  }
  const onNode = (node: string) => [...programs.values()].filter((program) => program.node === node)

  cluster.watch((name, pod) => {
    const program = programs.get(name)
    if (pod === null || pod.leavingSince !== null) {
      if (program === undefined) {
        // Nobody but the API server ever had it: it is over as soon as it is to go.
        if (pod !== null && pod.node === null && !pod.isForced)
          cluster.remove(name, pod.leavingBy ?? 'other', true)
        return
      }
      program.leavingBy ??= pod?.leavingBy ?? 'other'
      return sync(program)
    }
    if (pod.node === null || program?.pod.uid === pod.uid) return
    const placed = { isAlive: null, isBeingEnded: false, leavingBy: null, status: pod.status }
    const fresh: Program = { pod, node: pod.node, ...placed }
    programs.set(name, fresh)
    scheduler.after(random.between(20, 1_500), () => sync(fresh))
  })

  function noticeSilence(node: string, since: number): void {
    scheduler.after(noticedMs, () => {
      const now = cluster.nodes.get(node)
      if (now !== undefined && !isReachable(node)) now.silentSince ??= since
      touchPodsOf(node)
    })
    scheduler.after(noticedMs + evictAfterMs, () => {
      if (cluster.nodes.get(node)?.silentSince !== since) return
      for (const pod of [...cluster.pods.values()]) {
        if (pod.node === node && pod.leavingSince === null) cluster.remove(pod.name, 'other', false)
      }
    })
  }
  /** Publishes a change of a node as one of its pods. */
  function touchPodsOf(node: string): void {
    for (const pod of [...cluster.pods.values()]) if (pod.node === node) cluster.change(pod.name, {})
  }

  return {
    living: () => [...programs.values()].filter(({ isAlive }) => isAlive).map(({ pod }) => pod.name),
    startByHand(name) {
      const program = programs.get(name)
      if (program === undefined || program.isAlive !== null || !isReachable(program.node)) return false
      if (cluster.pods.get(name)?.leavingSince !== null) return false
      program.isAlive = true
      program.status = { ...program.status, phase: 'Running', startProblem: null, runner: running() }
      history.note(name, 'is got going by hand')
      cluster.change(name, { status: program.status })
      return true
    },
    end(name, exitCode) {
      const program = programs.get(name)
      if (program?.isAlive) over(program, exitCode, null, null)
    },
    strike(name, how) {
      const program = programs.get(name)
      if (program?.isAlive && isReachable(program.node)) over(program, sigkill, 'SIGKILL', how)
    },
    setMode(name, mode) {
      const node = cluster.nodes.get(name)
      if (node === undefined) return
      history.note(name, `is ${mode}`)
      node.mode = mode
      if (mode === 'dead')
        for (const program of onNode(name)) if (program.isAlive) over(program, sigkill, 'SIGKILL', 'NodeLost')
      if (!isReachable(name)) return noticeSilence(name, scheduler.now())
      node.silentSince = null
      touchPodsOf(name)
      for (const program of onNode(name)) {
        report(program)
        sync(program)
      }
    },
    removeNode(name) {
      history.note(name, 'is removed')
      for (const program of onNode(name)) if (program.isAlive) over(program, sigkill, 'SIGKILL', 'NodeLost')
      cluster.nodes.delete(name)
      touchPodsOf(name)
      scheduler.after(collectedMs, () => {
        for (const pod of [...cluster.pods.values()]) {
          if (pod.node !== name) continue
          if (!isOver(pod.status)) cluster.change(pod.name, { status: { ...pod.status, phase: 'Failed' } })
          cluster.remove(pod.name, 'other', true)
        }
      })
    },
  }
}

const noImage = { kind: 'ImagePull', message: 'manifest unknown' } as const

/** The problem that keeps a pod's first container from running on such a node. */
function hindranceOf({ flaw, shape }: Template, mode: NodeMode): Omit<StartProblem, 'since'> | null {
  if (mode === 'silent') return null // it says nothing at all
  if (mode === 'failing') return { kind: 'SandboxFailed', message: 'no network for the pod' }
  if (flaw === 'bad-config') return { kind: 'ConfigError', message: 'a secret is missing' }
  return flaw === 'no-poller-image' || (flaw === 'no-runner-image' && shape === 'single') ? noImage : null
}

/** By which a pod proves who it is. */
export function proofOf(name: string, uid: string): string {
  return `${name}/${uid}`
}
