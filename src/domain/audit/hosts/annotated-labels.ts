import type { Instant } from '../../time.ts'
import type { ImageLabels } from '../contract/contract.ts'

const prefix = 'org.opencontainers.image.'

/** Labels that somebody copied into a pod's annotations; null where there are none. */
export function annotatedLabels(annotations: Readonly<Record<string, string>>): ImageLabels | null {
  const {
    [`${prefix}version`]: version,
    [`${prefix}revision`]: revision,
    [`${prefix}created`]: created,
  } = annotations
  if (version === undefined && revision === undefined && created === undefined) return null
  return { version: version ?? null, revision: revision ?? null, builtAt: instantOf(created) }
}

function instantOf(text: string | undefined): Instant | null {
  const at = text === undefined ? Number.NaN : Date.parse(text)
  return Number.isNaN(at) ? null : at
}
