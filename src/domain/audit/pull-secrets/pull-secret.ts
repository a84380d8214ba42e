import type { ScaleSetFact, SecretFact, Snapshot } from '../../snapshot/index.ts'
import { keyOf } from '../joins.ts'
import { isAbsenceKnown } from '../judging.ts'

export type SecretsByKey = ReadonlyMap<string, SecretFact>

/** The pull secrets that a pod names. */
export interface NamedSecrets {
  readonly names: readonly string[]
  readonly present: readonly SecretFact[]
  /** Whether one of them may be there without having been read. */
  readonly isOpen: boolean
}

export function namedSecrets(
  namespace: string,
  names: readonly string[],
  secretByKey: SecretsByKey,
  snapshot: Snapshot,
): NamedSecrets {
  const present = names.flatMap((name) => secretByKey.get(keyOf({ namespace, name })) ?? [])
  const isOpen =
    present.length < names.length && !isAbsenceKnown(snapshot.cluster.secrets, snapshot, namespace)
  return { names, present, isOpen }
}

/** Whether a pull secret has credentials for a registry. */
export function covers({ registries }: SecretFact, registry: string): boolean {
  return registries.some((name) => hostOf(name) === registry)
}

/** The hash of the whole list of registries and credentials. */
export function contentHash({ keys }: SecretFact): string | null {
  return keys.find(({ name }) => name === '.dockerconfigjson' || name === '.dockercfg')?.hash ?? null
}

/** The runners' copy of a pull secret: under its name, else the one that the set names for the registry. */
export function runnerCopy(
  secret: SecretFact,
  set: ScaleSetFact,
  registry: string,
  secretByKey: SecretsByKey,
): SecretFact | null {
  const names = [secret.name, ...set.template.imagePullSecrets]
  const copies = names.flatMap((name) => secretByKey.get(keyOf({ namespace: set.namespace, name })) ?? [])
  return copies.find((copy) => covers(copy, registry)) ?? null
}

/** Docker's own registry has an address of its own in pull secrets. */
function hostOf(registry: string): string {
  const host = registry.replace(/^https?:\/\//, '').split('/')[0] ?? ''
  return host === 'index.docker.io' ? 'docker.io' : host
}
