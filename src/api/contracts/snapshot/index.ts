import { z } from 'zod'
import {
  type ClusterFacts,
  type ForgeFacts,
  type Snapshot,
  snapshotVersion,
} from '../../../domain/snapshot/index.ts'
import { clusterSchema } from './cluster.ts'
import { forgeSchema } from './forge.ts'
import { number, text, textOrNull, texts } from './parts.ts'

export { itemsMax, partsMax, textCharsMax } from './parts.ts'

const names = texts.nullable()

const schema = z.object({
  version: z.literal(snapshotVersion),
  id: text,
  takenAt: number,
  program: text,
  clusterName: textOrNull,
  clusterVersion: textOrNull,
  scope: z.object({ namespaces: names, labels: names, nodes: names }),
  hashScope: textOrNull,
  cost: z.object({ requests: number, bytes: number, ms: number }),
  cluster: clusterSchema,
  forge: forgeSchema,
})

/*
 * Schema and types are in step, to the last field: a difference is a type error that names the list. A field that is new
 * in the domain is added to its schema here.
 */
type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type Differing<A, B> = {
  [Key in keyof A | keyof B]: Key extends keyof A & keyof B
    ? Same<Frozen<A[Key]>, Frozen<B[Key]>> extends true
      ? never
      : Key
    : Key
}[keyof A | keyof B]

type Read = z.output<typeof schema>
type Difference =
  | Differing<Read['cluster'], ClusterFacts>
  | Differing<Read['forge'], ForgeFacts>
  | Differing<Omit<Read, 'cluster' | 'forge'>, Omit<Snapshot, 'cluster' | 'forge'>>

/** A snapshot as it stands in a file. */
export const snapshotSchema: [Difference] extends [never] ? z.ZodType<Snapshot> : Difference = schema
