import { isWhole, type RunnerSetFact } from '../../snapshot/index.ts'
import { differsFromSpec } from './generation.ts'
import { withoutJob } from './occupation.ts'
import { type FleetView, hasNoListener, type SetView, saysOutdated } from './view.ts'

/** ARC waits for runners before it makes a set's listener again. */
export interface HeldRollover {
  readonly class: 'rollover-deadlock' | 'stale-idle-listener-blocker'
  readonly newest: RunnerSetFact
}

/** The generation for whose runners ARC waits before it makes the listener again; null where it waits for none, or only for jobs. */
export function heldRollover(view: SetView, { snapshot }: FleetView): HeldRollover | null {
  const { set, newest } = view
  const { runnerSets, runners } = snapshot.cluster
  if (!hasNoListener(view) || newest === null || set.forgeScaleSetId === null) return null
  if (!isWhole(runnerSets) || !isWhole(runners) || saysOutdated(view)) return null
  return set.isSingleSetLayout ? heldSingleSet(view, newest) : heldGenerations(view, newest)
}

/**
 * After 0.14.2 one object is patched: a changed spec deletes the listener and waits for every runner, and the replicas
 * stay as they are, so that even busy runners are replaced by idle ones. Only with no replicas does it end.
 */
function heldSingleSet({ set, holders }: SetView, newest: RunnerSetFact): HeldRollover | null {
  if (holders.length === 0 || newest.replicas === 0) return null
  const isRollover = set.phase === 'Pending' || differsFromSpec(newest.images, set)
  return isRollover ? { class: 'rollover-deadlock', newest } : null
}

/**
 * Up to 0.14.2 a changed spec sets the replicas to 0 and waits for the runners, which go unless they are busy or stuck;
 * with the spec unchanged, any runner of the newest generation keeps the listener from coming back.
 */
function heldGenerations({ set, generations, holders }: SetView, newest: RunnerSetFact): HeldRollover | null {
  if (withoutJob(holders).length === 0) return null
  const isRollover = generations.length > 1 || newest.replicas === 0 || differsFromSpec(newest.images, set)
  return { class: isRollover ? 'rollover-deadlock' : 'stale-idle-listener-blocker', newest }
}
