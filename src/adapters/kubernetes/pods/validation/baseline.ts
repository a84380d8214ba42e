import { type Allowance, isAllowed } from '../../../../domain/pool/index.ts'
import { containers } from '../names.ts'
import type { Problem } from '../problem.ts'
import { baselineRules, type Found } from './baseline-rules.ts'
import type { Check, Checked } from './check.ts'

/**
 * What takes the node, or what opens the namespace: refused in every container, unless who runs Holdfast allows it by
 * name. A pool's author is no administrator of the cluster.
 */
export const checkBaseline: Check = (checked) =>
  baselineRules.flatMap(({ name, expected, isCovered = isSameText, find }) =>
    find(checked)
      .filter(({ value }) => !isAllowed(checked.allow, name, (allowed) => isCovered(value, allowed)))
      .map((found) => ({ ...placed(found), expected, got: found.got, todo: todoOf(checked, name, found) })),
  )

function isSameText(value: string, allowed: string): boolean {
  return value === allowed
}

function placed({ at }: Found): Pick<Problem, 'at'> {
  return { at }
}

function todoOf({ plan }: Checked, name: Allowance, { at }: Found): string {
  const isDaemon = plan.dind !== null && at.includes(`["${containers.dind}"]`)
  const remove = isDaemon ? "Remove the pool's dind" : 'Remove it'
  return `${remove}, or have it allowed by who runs Holdfast: fleet.allow names "${name}" there.`
}
