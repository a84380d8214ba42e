import type { NodeFact, ScaleSetFact } from '../snapshot/index.ts'
import { containerFact, nodeFact, scaleSetFact, templateFact } from '../snapshot/testing/facts.ts'

export const gi = 2 ** 30

/** A container's envelope: requests and limits of cpu in cores, memory and ephemeral storage in GiB. */
export interface Envelope {
  readonly cpu?: readonly [number, number]
  readonly memory?: readonly [number, number]
  readonly ephemeral?: readonly [number, number]
}

/** A scale set bound to nodes with the label `pool=<pool>`, with one container for each envelope. */
export function laneSet(
  name: string,
  pool: string,
  maxRunners: number,
  envelopes: readonly Envelope[],
  given: Partial<ScaleSetFact> = {},
): ScaleSetFact {
  const containers = envelopes.map(({ cpu = [0, 0], memory = [0, 0], ephemeral = [0, 0] }, index) =>
    containerFact({
      name: index === 0 ? 'runner' : `daemon-${index}`,
      requests: { cpu: cpu[0], memory: memory[0] * gi, 'ephemeral-storage': ephemeral[0] * gi },
      limits: { cpu: cpu[1], memory: memory[1] * gi, 'ephemeral-storage': ephemeral[1] * gi },
    }),
  )
  const template = templateFact({ containers, nodeSelector: { pool } })
  return scaleSetFact(name, { maxRunners, template, ...given })
}

/** A node of a pool, with what is allocatable in cores and GiB. */
export function poolNode(
  name: string,
  pool: string,
  [cpu, memory, ephemeral, pods = 110]: readonly number[],
  given: Partial<NodeFact> = {},
): NodeFact {
  return nodeFact(name, {
    labels: { pool },
    allocatable: {
      cpu: cpu ?? 0,
      memory: (memory ?? 0) * gi,
      'ephemeral-storage': (ephemeral ?? 0) * gi,
      pods,
    },
    ...given,
  })
}
