import { type Fields, fields, list, text } from './fields.ts'

/** A pod has one, or none. */
const OWNERS_MAX = 5

/** A volume that lies in memory: what is written there counts as memory of who writes it. */
export interface MemoryVolume {
  readonly name: string
  readonly sizeLimit?: unknown
}

export interface Owner {
  readonly kind: string
  readonly name: string
}

export function memoryVolumesOf(spec: Fields): MemoryVolume[] {
  return list(spec.volumes).flatMap(({ name, emptyDir }) => {
    const { medium, sizeLimit } = fields(emptyDir)
    return medium === 'Memory' ? [{ name: text(name) ?? '', sizeLimit }] : []
  })
}

/** To whom a pod belongs: when they are deleted, so is it. */
export function ownersOf(metadata: unknown): Owner[] {
  const owners = list(fields(metadata).ownerReferences).slice(0, OWNERS_MAX)
  return owners.map(({ kind, name }) => ({ kind: text(kind) ?? '', name: text(name) ?? '' }))
}

/** Of which container of its pod an event tells, where it says so. */
export function eventContainer({ fieldPath }: Fields): { readonly container?: string } {
  const name = /^spec\.(?:initC|c)ontainers\{([^}]{1,100})\}$/.exec(text(fieldPath) ?? '')?.[1]
  return name === undefined ? {} : { container: name }
}
