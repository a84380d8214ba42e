import { placeOf } from '../../workdir/index.ts'
import type { HostLook, PlannedHost } from './facts.ts'
import { processesOf } from './gates.ts'

/** The service of a host as it was seen; null: there is no folder of it. */
export function plannedHost(look: HostLook, why: string): PlannedHost | null {
  const { facts, judgement } = look
  if (facts.folder.kind !== 'folder') return null
  const listeners = processesOf(look, 'listener').map(({ pid }) => pid)
  return {
    kind: 'RunnerHost',
    namespace: placeOf(judgement.host),
    name: judgement.host.name,
    uid: facts.folder.root.id,
    resourceVersion: `listeners ${listeners.join(' ') || 'none'}`,
    rootId: facts.folder.root.id,
    listeners,
    why,
    evidence: [],
  }
}
