import { type Fields, fields, list, text } from '../../client/index.ts'

/** A pod has one, or none. */
const ownersMax = 5

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
  const owners = list(fields(metadata).ownerReferences).slice(0, ownersMax)
  return owners.map(({ kind, name }) => ({ kind: text(kind) ?? '', name: text(name) ?? '' }))
}

/** The container of its pod that an event is about, where it names one. */
export function eventContainer({ fieldPath }: Fields): { readonly container?: string } {
  const name = /^spec\.(?:initC|c)ontainers\{([^}]{1,100})\}$/.exec(text(fieldPath) ?? '')?.[1]
  return name === undefined ? {} : { container: name }
}
