import {
  type Leftover,
  type Leftovers,
  podActivityOf,
  removeLeftover,
} from '../../../adapters/kubernetes/index.ts'
import type { UninstallOrder, UninstallStep } from '../../../cli/index.ts'
import type { UninstallDeps } from './deps.ts'
import { kindIn, nameOf, planOf } from './plan.ts'
import { openSealing } from './sealing.ts'

const lookEveryMs = 1_000
const podsUnseen = 'pods may not be listed here, so that some of them may need it'

/** Pools first, so that nobody makes more; then pods until they are gone or the time is up; then what is left. */
export async function applyUninstall(deps: UninstallDeps, signal: AbortSignal): Promise<UninstallStep[]> {
  const { base, cluster, look, order } = deps
  const { clock } = base
  const first = await look()
  const steps = new Map(planOf(first, order).map((step) => [step.what, step]))
  const why = new Map<string, string>()
  const remove = async (leftover: Leftover) => {
    const removal = await removeLeftover(cluster.writer, leftover, signal)
    if (removal.kind === 'left') why.set(nameOf(leftover), removal.why)
    else why.delete(nameOf(leftover))
  }
  for (const pool of first.pools) await remove({ ...pool, finalizer: null })
  const sealing = order.withoutLedger || first.pods.length === 0 ? null : await openSealing(deps, signal)
  const until = clock.now() + order.waitMs
  let left = await look()
  try {
    while (removable(left, order).length > 0) {
      await treatPods(left, deps, sealing, remove, why, signal)
      left = await look()
      if (clock.now() >= until || removable(left, order).length === 0) break
      await clock.sleep(lookEveryMs, signal)
    }
  } finally {
    await sealing?.stop()
  }
  if (isUnseen(left, 'Pod')) {
    for (const each of [...left.pools, ...left.others]) why.set(nameOf(each), podsUnseen)
  } else {
    const poolsWithPods = new Set(
      left.pods.map(({ object }) => object.metadata.labels?.['holdfast.dev/pool']),
    )
    for (const pool of left.pools) if (!poolsWithPods.has(pool.object.metadata.name)) await remove(pool)
    if (left.pods.length === 0) for (const other of left.others) await remove(other)
  }
  const still = await look()
  return outcomes(steps, still, why)
}

/** Whether objects of this kind could not be listed: then that there are none is not known. */
function isUnseen({ unseen }: Leftovers, kind: string): boolean {
  return unseen.some((each) => each.kind === kind)
}

function removable({ pods }: Leftovers, { evenBusy }: UninstallOrder): readonly Leftover[] {
  return pods.filter((pod) => evenBusy || isLeaving(pod) || podActivityOf(pod) !== 'busy')
}

/** Somebody deleted it, perhaps with its namespace: it ends within its grace. */
function isLeaving({ object }: Leftover): boolean {
  return object.metadata.deletionTimestamp !== undefined
}

async function treatPods(
  { pods }: Leftovers,
  { order }: UninstallDeps,
  sealing: Awaited<ReturnType<typeof openSealing>> | null,
  remove: (leftover: Leftover) => Promise<void>,
  why: Map<string, string>,
  signal: AbortSignal,
): Promise<void> {
  for (const pod of pods) {
    const standing = podActivityOf(pod)
    if (standing === 'busy' && (isLeaving(pod) || !order.evenBusy)) continue
    // Our finalizer stays on it until its record is sealed.
    if (standing !== 'ended') await remove({ ...pod, finalizer: null })
    else if (sealing === null) await remove(pod)
  }
  for (const [name, reason] of (await sealing?.sealEnded(signal)) ?? []) why.set(`Pod ${name}`, reason)
}

function outcomes(
  steps: ReadonlyMap<string, UninstallStep>,
  left: Leftovers,
  why: ReadonlyMap<string, string>,
): UninstallStep[] {
  const { pods, pools, others } = left
  const still = new Map([...pods, ...pools, ...others].map((each) => [nameOf(each), each]))
  return [...steps.values()].map((step) => {
    const there = still.get(step.what)
    if (there === undefined && isUnseen(left, kindIn(step)))
      return { ...step, outcome: 'left', why: why.get(step.what) ?? 'it may not be looked at any more' }
    if (there === undefined) return { ...step, outcome: 'gone' }
    const foreign = (there.object.metadata.finalizers ?? []).filter(
      (each) => !each.startsWith('holdfast.dev/'),
    )
    const isOthers = there.finalizer === null && foreign.length > 0
    const reason = isOthers
      ? `held by finalizers of others: ${foreign.join(', ')}`
      : (why.get(step.what) ?? null)
    return {
      ...step,
      outcome: 'left',
      why: reason ?? (step.outcome === 'left' ? step.act : 'it is still there'),
    }
  })
}
