import { type Leftover, type Leftovers, podActivityOf } from '../../../adapters/kubernetes/index.ts'
import type { UninstallOrder, UninstallStep } from '../../../cli/index.ts'

/** The step for each object, in the order of execution. */
export function planOf(
  { pods, pools, others }: Leftovers,
  { evenBusy, withoutLedger }: Pick<UninstallOrder, 'evenBusy' | 'withoutLedger'>,
): UninstallStep[] {
  const seal = withoutLedger
    ? 'take our finalizer off, without a record'
    : 'seal its record, then take our finalizer off'
  return [
    ...pools.map((pool) => step(pool, 'delete it, and take our finalizer off when its pods are gone')),
    ...pods.map((pod) => {
      const standing = podActivityOf(pod)
      const isLeaving = pod.object.metadata.deletionTimestamp !== undefined
      if (standing === 'busy' && !evenBusy && !isLeaving)
        return { ...step(pod, 'leave it: a job runs in it, or may'), outcome: 'left' as const }
      const act =
        standing === 'ended'
          ? seal
          : `${isLeaving ? 'wait for its end' : `ask it to stop (${standing})`}, ${seal}`
      return { ...step(pod, act), needsLedger: !withoutLedger }
    }),
    ...others.map((other) => step(other, 'delete it')),
  ]
}

/** `Pod linux-1`. */
export function nameOf({ kind, object }: Leftover): string {
  return `${kind.kind} ${object.metadata.name}`
}

/** The kind in the name of a step. */
export function kindIn({ what }: Pick<UninstallStep, 'what'>): string {
  return what.slice(0, what.indexOf(' '))
}

function step(leftover: Leftover, act: string): UninstallStep {
  return { what: nameOf(leftover), act, outcome: 'planned', why: null, needsLedger: false }
}
