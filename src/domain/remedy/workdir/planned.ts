import type { Digest } from '../../canonical-json.ts'
import { counted } from '../../format.ts'
import { type FolderMode, foldersOf, othersVersion } from '../../workdir/index.ts'
import { masked } from '../gate.ts'
import type { HostLook } from '../host/facts.ts'
import type { PlannedFolder } from './facts.ts'

/** Paths that a plan names of one folder. */
const pathsMax = 20

/** One folder as it was seen; null: there is no such folder. */
export function plannedFolder(
  { facts, judgement: { host }, version }: HostLook,
  name: string,
  mode: FolderMode,
  digest: Digest,
): PlannedFolder | null {
  const { folder } = facts
  const top = facts.top.find((each) => each.name === name)
  if (folder.kind !== 'folder' || top === undefined) return null
  const ownerUid = host.ownerUid ?? folder.uid
  const blocking = foldersOf(facts, ownerUid).find((each) => each.name === name)?.blocking ?? []
  const ids = { root: folder.root.id, work: folder.id, folder: top.id }
  return {
    kind: 'WorkFolder',
    namespace: host.name,
    name,
    uid: `${ids.root}/${ids.work}/${ids.folder}`,
    resourceVersion: version,
    target: { folder: name, mode, ids, ownerUid },
    blocking: {
      count: blocking.length,
      paths: blocking.slice(0, pathsMax).map(({ entry }) => masked(entry.path)),
    },
    others: othersVersion(facts, name, digest),
    why: `${counted(blocking.length, 'folder')} in it that the account with uid ${ownerUid} cannot empty`,
    evidence: [],
  }
}
