import type { ContainerSpecFact, ScaleSetFact, Snapshot } from '../../snapshot/index.ts'
import { keyOf } from '../joins.ts'
import type { Contract, DeclaredLane } from './contract.ts'
import { credentialNameOf } from './credential-name.ts'
import { lastingRefusal } from './nodes.ts'

/** A contract that declares a fleet as it is now: one lane for each scale set and label. */
export function draftContract(snapshot: Snapshot, file: string): Contract {
  const sets = snapshot.cluster.scaleSets.items.filter(({ deletedAt }) => deletedAt === null)
  return {
    version: 1,
    file,
    lanes: sets.flatMap((set) => set.runnerLabels.map((label) => draftLane(label, set, snapshot))),
    fixes: [],
    images: [],
    minimumRunnerVersion: null,
    nixCache: null,
    runnerHosts: [],
    platformProofs: [],
  }
}

function draftLane(label: string, set: ScaleSetFact, { cluster }: Snapshot): DeclaredLane {
  const { template, minRunners, maxRunners } = set
  const nodes = cluster.nodes.items.filter((node) => lastingRefusal(set, node) === null)
  return {
    label,
    scaleSets: [keyOf(set)],
    minRunners,
    maxRunners,
    containers: template.containers.map(draftContainer),
    nodes: isPlaced(set) ? nodes.map(({ name }) => name) : [],
    volumes: template.volumes.flatMap(({ kind, mountPaths, storageClass }) =>
      kind === 'claim' || kind === 'ephemeral-claim'
        ? mountPaths.map((mountPath) => ({ mountPath, storageClass }))
        : [],
    ),
    afterOom: null,
    hasPriorityPolicy: false,
    credential: credentialNameOf(set),
    pullSecret: template.imagePullSecrets[0] ?? null,
    source: null,
    places: {},
  }
}

function draftContainer({ name, image, requests, limits }: ContainerSpecFact) {
  return { name, image, requests, limits }
}

/** A set without a selector may be anywhere, also on nodes that come later. */
function isPlaced({ template }: ScaleSetFact): boolean {
  return Object.keys(template.nodeSelector).length > 0 || template.nodeAffinity !== null
}
