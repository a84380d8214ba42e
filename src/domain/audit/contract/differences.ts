import { quantityText } from '../../quantity.ts'
import type { Amounts, ScaleSetFact, Snapshot } from '../../snapshot/index.ts'
import type { DeclaredContainer, DeclaredLane } from './contract.ts'
import { credentialNameOf } from './credential-name.ts'
import { type Difference, difference } from './difference.ts'
import { nodeDifferences } from './nodes.ts'

/** Everything in which a live scale set differs from its lane. Parts that are not declared are not compared. */
export function differencesOf(
  lane: DeclaredLane,
  set: ScaleSetFact,
  snapshot: Snapshot,
): readonly Difference[] {
  return [
    ...ofLabel(lane, set),
    ...ofCounts(lane, set),
    ...lane.containers.flatMap((container) => ofContainer(container, set)),
    ...nodeDifferences(lane, set, snapshot),
    ...ofVolumes(lane, set),
    ...ofSecrets(lane, set),
  ]
}

function ofLabel({ label }: DeclaredLane, { runnerLabels }: ScaleSetFact): readonly Difference[] {
  if (runnerLabels.includes(label)) return []
  return difference('scaleSets', 'label', label, runnerLabels.join(', ') || 'none')
}

function ofCounts(lane: DeclaredLane, set: ScaleSetFact): readonly Difference[] {
  return (['minRunners', 'maxRunners'] as const).flatMap((field) => {
    const declared = lane[field]
    return declared === null
      ? []
      : difference(field, field, String(declared), String(set[field] ?? 'no maximum'))
  })
}

function ofContainer(declared: DeclaredContainer, { template }: ScaleSetFact): readonly Difference[] {
  const { name, image, requests, limits } = declared
  const live = template.containers.find((each) => each.name === name)
  if (live === undefined) return difference('containers', `container ${name}`, 'present', 'none')
  return [
    ...(image === null ? [] : difference('containers', `${name} image`, image, live.image)),
    ...ofAmounts(`${name} requests`, requests, live.requests),
    ...ofAmounts(`${name} limits`, limits, live.limits),
  ]
}

function ofAmounts(what: string, declared: Amounts, live: Amounts): readonly Difference[] {
  return Object.entries(declared).flatMap(([resource, amount]) => {
    const now = live[resource]
    const liveText = now === undefined ? 'none' : quantityText(resource, now)
    return difference('containers', `${what}.${resource}`, quantityText(resource, amount), liveText)
  })
}

function ofVolumes({ volumes }: DeclaredLane, { template }: ScaleSetFact): readonly Difference[] {
  return volumes.flatMap(({ mountPath, storageClass }) => {
    const what = `volume at ${mountPath}`
    const live = template.volumes.find(({ mountPaths }) => mountPaths.includes(mountPath))
    if (live === undefined) return difference('volumes', what, storageClass ?? 'present', 'none')
    return storageClass === null
      ? []
      : difference('volumes', what, storageClass, live.storageClass ?? live.kind)
  })
}

function ofSecrets({ credential, pullSecret }: DeclaredLane, set: ScaleSetFact): readonly Difference[] {
  const pulls = set.template.imagePullSecrets
  const isPulled = pullSecret === null || pulls.includes(pullSecret)
  return [
    ...(credential === null
      ? []
      : difference('credential', 'credential', credential, credentialNameOf(set) ?? 'none')),
    ...(isPulled ? [] : difference('pullSecret', 'pull secret', pullSecret, pulls.join(', ') || 'none')),
  ]
}
