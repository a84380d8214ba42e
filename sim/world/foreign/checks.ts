import type { Act, RemedyWorld } from '../../../src/remedy/testing/world.ts'
import type { Violation } from '../checkers.ts'

/**
 * R1: no runner of the foreign fleet is removed with a job: none loses it, and none is deleted that the forge called busy when
 * the process asked last. R2: no object is deleted twice, and no plan is approved twice. R3: each deletion has the row of its own
 * run before it.
 */
export function checkActs(world: RemedyWorld): Violation | null {
  const lost = world.acts.find(({ uid }) => world.lostUids.has(uid))
  if (lost !== undefined) return { invariant: 'R1', what: `${lost.name} was removed with its job` }
  for (const act of world.acts) {
    const violation = checkAct(act, world)
    if (violation !== null) return violation
  }
  const uid = repeated(world.acts.map((act) => act.uid))
  if (uid !== undefined) return { invariant: 'R2', what: `${uid} was deleted twice` }
  const approved = world.trail.kept.filter(
    ({ step, outcome }) => step === 'approved' && outcome.endsWith('objects approved'),
  )
  const plan = repeated(approved.map((row) => row.plan))
  return plan === undefined ? null : { invariant: 'R2', what: `plan ${plan} was approved twice` }
}

function checkAct(act: Act, world: RemedyWorld): Violation | null {
  const isOwn = (called: { readonly tick: number; readonly operator: number }) =>
    called.operator === act.operator && called.tick <= act.tick
  const asked = (world.asked.get(act.name) ?? []).findLast(isOwn)?.tick
  if (asked === undefined)
    return { invariant: 'R1', what: `${act.name} was deleted, and nobody asked the forge about it` }
  if (act.busySince !== null && act.busySince < asked)
    return { invariant: 'R1', what: `${act.name} was deleted with a job that the forge knew of` }
  const hasRow = world.rowTicks.some((row) => row.subject?.endsWith(`/${act.name}`) && isOwn(row))
  return hasRow ? null : { invariant: 'R3', what: `${act.name} was deleted, and no row says so before` }
}

function repeated<T>(items: readonly T[]): T | undefined {
  return items.find((item, index) => items.indexOf(item) !== index)
}
