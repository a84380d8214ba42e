import { randomUUID } from 'node:crypto'
import { decodeJit } from '../../sim/forge/jit.ts'
import { createForgeClient } from '../../sim/runner/client.ts'
import { acknowledge, askForJob } from '../../src/poller/ask.ts'
import { clock, entropy } from '../ledger/ground.ts'
import { must } from './api.ts'
import { type Ground, namespaces, pollMs } from './ground.ts'
import type { SeenPod } from './pods.ts'

const mergePatch = 'application/merge-patch+json'

/** Plays what would run in pods that do not run: each has its own bound token, asks over HTTP and serves its job. */
export interface Pollers {
  /** Plays a pod to its end. */
  play(pod: SeenPod): void
  /** When each had its JIT, by performance.now, and for which of the ledger's jobs. */
  readonly jits: readonly Jit[]
  /** Resolves when so many have their JIT, acknowledged. */
  untilJits(count: number, withinMs: number): Promise<void>
  /** Pollers with a JIT go on: first they take their job, then they complete it. */
  takeJobs(): void
  completeJobs(): void
  /** Stops asking; resolves when all are done. */
  close(): Promise<void>
}

export interface Jit {
  readonly at: number
  readonly job: string
  /** From the pod in the watch to its token: the bench's own part. */
  readonly tokenMs: number
  /** From the question to the answer. */
  readonly askMs: number
}

export interface Pace {
  /** Holds the jobs until it is called. */
  readonly isHeld: boolean
}

export function createPollers(ground: Ground, { isHeld }: Pace): Pollers {
  const ending = new AbortController()
  const lives = new Set<Promise<void>>()
  const jits: Jit[] = []
  const failures: string[] = []
  const waiters = new Set<() => void>()
  const taking = Promise.withResolvers<void>()
  const completing = Promise.withResolvers<void>()
  let acknowledged = 0
  if (!isHeld) {
    taking.resolve()
    completing.resolve()
  }

  async function live(pod: SeenPod): Promise<void> {
    const began = performance.now()
    const asking = {
      url: ground.life().url,
      runner: pod.name,
      secret: await boundToken(ground, pod),
      pollMs,
      clock,
      entropy,
      signal: ending.signal,
      say: () => {},
    }
    const askedAt = performance.now()
    const answer = await askForJob(asking)
    if (answer.kind === 'leave') return // KWOK plays how it is stopped
    if (answer.kind === 'refused') throw new Error(`${pod.name} was refused: ${answer.status}`)
    const at = performance.now()
    jits.push({ at, job: answer.job, tokenMs: askedAt - began, askMs: at - askedAt })
    const acknowledgement = await acknowledge(asking, answer.attempt)
    if (acknowledgement.kind !== 'acknowledged')
      throw new Error(`${pod.name}: the acknowledgement was refused`)
    acknowledged += 1
    for (const waiter of waiters) waiter()
    await beginPod(ground, pod)
    await serve(answer.jit)
    await endPod(ground, pod)
  }

  async function serve(jit: string): Promise<void> {
    const config = decodeJit(jit)
    if (config === null) throw new Error('the JIT is none')
    const client = createForgeClient(config, randomUUID())
    await taking.promise
    await client.connect(ending.signal)
    const job = await client.nextJob(ending.signal)
    await completing.promise
    await client.complete(job.id, 'success')
  }

  return {
    play(pod) {
      const life = live(pod)
        .catch((error: Error) => {
          if (!ending.signal.aborted) failures.push(error.message)
        })
        .finally(() => lives.delete(life))
      lives.add(life)
    },
    jits,
    untilJits(count, withinMs) {
      return new Promise((resolve, reject) => {
        const patience = setTimeout(() => {
          waiters.delete(look)
          reject(new Error(`${acknowledged} of ${count} JITs; ${failures.slice(0, 3).join('; ')}`))
        }, withinMs)
        const look = (): void => {
          if (acknowledged < count) return
          clearTimeout(patience)
          waiters.delete(look)
          resolve()
        }
        waiters.add(look)
        look()
      })
    },
    takeJobs: () => taking.resolve(),
    completeJobs: () => completing.resolve(),
    async close() {
      ending.abort()
      taking.resolve()
      completing.resolve()
      await Promise.all(lives)
      if (failures.length > 0) console.log(`  ${failures.length} pollers failed: ${failures[0]}`)
    },
  }
}

async function boundToken({ kubelets }: Ground, { name, uid }: SeenPod): Promise<string> {
  const where = `/api/v1/namespaces/${namespaces.ours}/serviceaccounts/default/token`
  const answer = await kubelets.call('POST', where, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: {
      audiences: ['holdfast'],
      expirationSeconds: 3_600,
      boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
    },
  })
  return JSON.parse(must('token', answer)).status.token
}

/** The kubelet's word that the poller is done and the runner runs, said by the bench. */
async function beginPod(ground: Ground, pod: SeenPod): Promise<void> {
  const running = { running: { startedAt: shownNow() } }
  const containerStatuses = [{ ...container('runner', running), ready: true, started: true }]
  await sayStatus(ground, pod, { phase: 'Running', ...pollerDone(), containerStatuses })
}

/** The kubelet's last word. */
async function endPod(ground: Ground, pod: SeenPod): Promise<void> {
  const containerStatuses = [container('runner', { terminated: completed() })]
  await sayStatus(ground, pod, { phase: 'Succeeded', ...pollerDone(), containerStatuses })
}

async function sayStatus({ kubelets }: Ground, { name }: SeenPod, status: object): Promise<void> {
  const where = `/api/v1/namespaces/${namespaces.ours}/pods/${name}/status`
  must('the status of a pod', await kubelets.call('PATCH', where, { status }, mergePatch))
}

function pollerDone() {
  return { initContainerStatuses: [container('poller', { terminated: completed() })] }
}

function container(name: string, state: object) {
  return { name, image: 'any', imageID: '', ready: false, restartCount: 0, state }
}

function completed() {
  return { exitCode: 0, reason: 'Completed', startedAt: shownNow(), finishedAt: shownNow() }
}

/** As the API writes times: without fractions. */
function shownNow(): string {
  return new Date().toISOString().replace(/\.\d+/, '')
}
