import type { Instant } from '../domain/time.ts'

/** A kind of object in the cluster, and where the API serves it. */
export interface ObjectKind {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  /** As it stands in the API's path: `pods`. */
  readonly plural: string
  /** As it stands in an object: `Pod`. */
  readonly kind: string
  readonly isNamespaced: boolean
}

export interface ObjectMeta {
  readonly name: string
  readonly namespace?: string
  readonly uid: string
  readonly resourceVersion: string
  readonly generation?: number
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly finalizers?: readonly string[]
  readonly ownerReferences?: readonly OwnerReference[]
}

interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

/** The part that every object in the cluster has; the reader of a kind declares the rest. */
export interface ClusterObject {
  readonly metadata: ObjectMeta
}

/** The name of an object, in its namespace. */
export interface NamespacedName {
  readonly name: string
  /** Absent for kinds without namespaces. */
  readonly namespace?: string | undefined
}

/** Exactly this object in exactly this state; a write under it takes effect on nothing else. */
export interface Exactly extends NamespacedName {
  readonly uid: string
  readonly resourceVersion: string
}

/** This object, in whatever state it is: for writes that are right in each of them. */
export interface Same extends NamespacedName {
  readonly uid: string
}

/** How fresh a view is. */
export interface Freshness {
  /** False until the cluster was listed once to its end: until then an absent object proves nothing. */
  readonly isWhole: boolean
  /** When the view was last proven to agree with the cluster; null where it never was. */
  readonly provenAt: Instant | null
  /** How long ago that is; infinite where it never was. */
  readonly ageMs: number
  /** Why the view cannot be brought up to date now; null where nothing is wrong. */
  readonly problem: string | null
}

/** A value from a view, with the freshness of the view: none is given without it. */
export interface Cached<T> {
  readonly value: T
  readonly freshness: Freshness
}

export type Change<T> =
  | { readonly kind: 'added'; readonly key: string; readonly object: T }
  | { readonly kind: 'changed'; readonly key: string; readonly object: T; readonly before: T }
  | {
      readonly kind: 'removed'
      readonly key: string
      /** As it was last seen. */
      readonly object: T
      /** Whether that was its final state: false where the deletion was missed (client-go: DeletedFinalStateUnknown). */
      readonly isFinal: boolean
    }

/**
 * All objects of a kind, kept up to date in memory by a watch. Reading costs the cluster nothing. Keys are
 * `namespace/name`, or `name` for kinds without namespaces.
 */
export interface ClusterView<T extends ClusterObject> {
  get(key: string): Cached<T | undefined>
  list(): Cached<readonly T[]>
  /** Objects that an index files under this value; an index that was not asked for at the start throws E_BUG. */
  by(index: string, value: string): Cached<readonly T[]>
  freshness(): Freshness
  /** Called after the view has taken each change; gives the function that stops listening. */
  onChange(listener: (change: Change<T>) => void): () => void
  /** Resolves when the view is whole for the first time; rejects with the signal's reason. */
  whole(signal: AbortSignal): Promise<void>
}

/** An object to create, before the cluster gave it an identity. */
export interface Manifest {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string | undefined
    readonly labels?: Readonly<Record<string, string>> | undefined
    readonly annotations?: Readonly<Record<string, string>> | undefined
    readonly finalizers?: readonly string[] | undefined
    readonly ownerReferences?: readonly OwnerReference[] | undefined
  }
  readonly [field: string]: unknown
}

/** Part of an object that a write may concern alone. */
type Subresource = 'status'

export type Created =
  | { readonly kind: 'created'; readonly object: ClusterObject }
  /** Something of this name is there already: perhaps from an earlier try whose answer was lost. */
  | { readonly kind: 'exists' }

export type Changed =
  | { readonly kind: 'changed'; readonly object: ClusterObject }
  /** It is not (this object) any more; nothing was changed. */
  | { readonly kind: 'gone' }
  /** It changed since it was read, or another manager holds a field; nothing was changed. */
  | { readonly kind: 'conflict'; readonly reason: string }

/** `gone`: it went before us. `conflict`: it is another object or another state of it, and still there. */
type Removed = 'removed' | 'gone' | 'conflict'

/**
 * Writes to the cluster. What was written is answered with its metadata; more costs both sides and nobody reads it.
 * Throws `E_CLUSTER_REFUSED` where the API says no, `E_CLUSTER_THROTTLED` and
 * `E_CLUSTER_UNREACHABLE` where it may say yes later (the latter says whether the outcome is unknown), and
 * `E_CLUSTER_NOT_LEADER` where the writer's term is over: then nothing was sent.
 */
export interface ClusterWriter {
  /** A lost answer is not repeated: the caller finds what exists by its name. */
  create(kind: ObjectKind, manifest: Manifest, signal: AbortSignal): Promise<Created>
  /** Server-side apply as `holdfast`: what the manifest names is ours, what it does not name is left alone. */
  apply(kind: ObjectKind, manifest: Manifest, signal: AbortSignal, options?: ApplyOptions): Promise<Changed>
  /** A merge patch of exactly this state of this object; or of any where only the object is named. */
  patch(
    kind: ObjectKind,
    target: Exactly | Same,
    patch: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    subresource?: Subresource,
  ): Promise<Changed>
  /** Takes one finalizer off and leaves those of others alone, whatever else changed. For kinds of the core group. */
  removeFinalizer(kind: ObjectKind, target: Same, finalizer: string, signal: AbortSignal): Promise<Changed>
  /** Without UID and resourceVersion nothing is deleted, ever. */
  remove(kind: ObjectKind, target: Exactly, signal: AbortSignal, options?: RemoveOptions): Promise<Removed>
}

interface ApplyOptions {
  readonly subresource?: Subresource
  /** Takes fields over that another manager holds. */
  readonly force?: boolean
}

interface RemoveOptions {
  /** 0 kills at once; unset: as the object says. */
  readonly gracePeriodSeconds?: number
}

/** Reads past every view, for the rare case that needs the cluster's own word now. */
export interface ClusterReader {
  read<T extends ClusterObject>(
    kind: ObjectKind,
    place: NamespacedName,
    signal: AbortSignal,
  ): Promise<T | undefined>
}
