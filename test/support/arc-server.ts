import type { Truth } from '../../src/adapters/kubernetes/client/testing/truth.ts'
import { arcState } from './arc-states.ts'

interface Owned {
  readonly metadata: {
    readonly namespace: string
    readonly name: string
    readonly ownerReferences?: readonly { readonly name: string; readonly uid: string }[]
  }
}

/** Owners before what they own. */
const kinds = [
  'autoscalingrunnersets',
  'autoscalinglisteners',
  'ephemeralrunnersets',
  'ephemeralrunners',
  'pods',
]

/** Puts the objects of a state that ARC's real controller wrote into a scripted API server, which gives them UIDs of its own. */
export function putArcState(truth: Truth, state: string): void {
  const { objects } = arcState(state)
  const uids = new Map<string, string>()
  for (const kind of kinds) {
    const root = kind === 'pods' ? '/api/v1' : '/apis/actions.github.com/v1alpha1'
    for (const object of (objects[kind] ?? []) as readonly Owned[]) {
      const { namespace, name, ownerReferences = [] } = object.metadata
      const owners = ownerReferences.map((owner) => ({ ...owner, uid: uids.get(owner.name) ?? owner.uid }))
      const metadata = { ...object.metadata, ownerReferences: owners }
      const put = truth.put(`${root}/namespaces/${namespace}/${kind}`, name, { ...object, metadata })
      if (kind !== 'pods') uids.set(name, put.metadata.uid)
    }
  }
}
