import { canonicalJson, type Digest } from '../canonical-json.ts'
import type { WorkFolderFacts } from './facts.ts'

/** A digest over all that was seen of a work folder. Of a host at rest it stays the same. */
export function workFolderVersion(
  { folder, top, notable, entryCount }: WorkFolderFacts,
  digest: Digest,
): string {
  return digest(canonicalJson({ folder, top: byName(top), notable: byPath(notable), entryCount }))
}

/** The same without one folder: a change to that one leaves it as it is. */
export function othersVersion({ top, notable }: WorkFolderFacts, folder: string, digest: Digest): string {
  return digest(
    canonicalJson({
      top: byName(top).filter(({ name }) => name !== folder),
      notable: byPath(notable).filter(({ path }) => path !== folder && !path.startsWith(`${folder}/`)),
    }),
  )
}

/** Directories are read in no order. */
function byName(top: WorkFolderFacts['top']): WorkFolderFacts['top'] {
  return top.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function byPath(notable: WorkFolderFacts['notable']): WorkFolderFacts['notable'] {
  return notable.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}
