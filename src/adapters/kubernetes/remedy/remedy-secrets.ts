import { createHash } from 'node:crypto'
import { HoldfastError, isError } from '../../../domain/errors/index.ts'
import { isRecord } from '../../../domain/is-record.ts'
import { parseJson } from '../../../domain/parse-json.ts'
import { reasonOf } from '../../../domain/reason.ts'
import type { ObjectRef } from '../../../domain/snapshot/index.ts'
import type { ClusterObject, Exactly } from '../../../ports/cluster.ts'
import type { Copied, KeyCopy, RemedySecrets } from '../../../ports/remedy-secrets.ts'
import { type Cluster, kinds, objectPath, type WholeObject } from '../client/index.ts'
import { parseAll, parseEvent, parsePod, parseSecret } from '../snapshot/index.ts'
import { isRefusal, wholly } from './whole.ts'

const readTimeoutMs = 10_000

/** A Secret as the API gives it. */
interface StoredSecret extends ClusterObject {
  readonly type?: string
  readonly data?: Readonly<Record<string, string>>
  readonly metadata: ClusterObject['metadata'] & {
    readonly managedFields?: readonly { readonly time?: string }[]
  }
}

/** Secrets by plain reads, and one key written from one to another. Values are hashed or passed on here, and end here. */
export function createRemedySecrets(
  cluster: Pick<Cluster, 'countedReads' | 'writer' | 'list'>,
): RemedySecrets {
  const read = secretReader(cluster)
  const whole = { transform: (object: WholeObject) => object }
  return {
    async readSecret(place, salt, signal) {
      const object = await read(place, signal)
      if (object === null) return null
      const hash = (value: Uint8Array) => createHash('sha256').update(`${salt}\n`).update(value).digest('hex')
      const parsed = parseAll([object], (cursor) => parseSecret(cursor, hash), 'secrets')
      const [secret] = wholly(parsed, kinds.secrets)
      return secret === undefined ? null : { secret, writtenAt: writtenAt(object) }
    },
    async copyKeys(copy, signal) {
      const { from, keys } = copy
      const source = await read(from, signal)
      if (source === null) return 'gone'
      const { uid, resourceVersion } = source.metadata
      const values = keys.flatMap((key) => source.data?.[key] ?? [])
      if (uid !== from.uid || resourceVersion !== from.resourceVersion || values.length === 0)
        return 'conflict'
      try {
        return await write(cluster, copy, source, signal)
      } catch (error) {
        if (isRefusal(error)) throw withoutValues(error, values)
        return 'unknown'
      }
    },
    async listPods(namespace, signal) {
      const objects = await cluster.list<WholeObject>({ kind: kinds.pods, namespace, ...whole }, signal)
      return wholly(parseAll(objects, parsePod, 'pods'), kinds.pods)
    },
    async listEvents(namespace, signal) {
      const objects = await cluster.list<WholeObject>({ kind: kinds.events, namespace, ...whole }, signal)
      return parseAll(objects, parseEvent, 'events').items
    },
    async removePod({ namespace, name, uid, resourceVersion }, signal) {
      try {
        return await cluster.writer.remove(kinds.pods, { namespace, name, uid, resourceVersion }, signal)
      } catch (error) {
        if (isRefusal(error)) throw error
        return 'unknown'
      }
    },
  }
}

/** Single values, for wiring alone: the caller passes them on to one place, and keeps none. */
export function createSecretValues(cluster: Pick<Cluster, 'countedReads'>): {
  /** Null: the Secret is not in this state any more, or has no such key. */
  read(target: Exactly & ObjectRef, key: string, signal: AbortSignal): Promise<string | null>
} {
  const read = secretReader(cluster)
  return {
    async read(target, key, signal) {
      const found = await read(target, signal)
      const { uid, resourceVersion } = found?.metadata ?? {}
      const value = found?.data?.[key]
      const isExact = uid === target.uid && resourceVersion === target.resourceVersion
      return isExact && value !== undefined ? Buffer.from(value, 'base64').toString('utf8').trim() : null
    },
  }
}

function secretReader(cluster: Pick<Cluster, 'countedReads'>) {
  // When it was last written is known by its managers alone.
  const reads = cluster.countedReads()
  return async ({ namespace, name }: ObjectRef, signal: AbortSignal): Promise<StoredSecret | null> => {
    const path = objectPath(kinds.secrets, { namespace, name })
    try {
      return storedSecret(await reads.getWithManagers(path, readTimeoutMs, signal), path)
    } catch (error) {
      if (isError(error, 'E_CLUSTER_NOT_FOUND')) return null
      throw error
    }
  }
}

async function write(
  { writer }: Pick<Cluster, 'writer'>,
  { keys, to: { namespace, name, state } }: KeyCopy,
  { type = 'Opaque', data: values = {} }: StoredSecret,
  signal: AbortSignal,
): Promise<Copied> {
  // Null takes a key away.
  const data = Object.fromEntries(
    keys
      .map((key) => [key, values[key] ?? null] as const)
      .filter(([, value]) => state !== null || value !== null),
  )
  if (state === null) {
    const { kind } = await writer.create(kinds.secrets, { metadata: { namespace, name }, type, data }, signal)
    return kind === 'created' ? 'copied' : 'conflict'
  }
  const { kind } = await writer.patch(kinds.secrets, { namespace, name, ...state }, { data }, signal)
  return kind === 'changed' ? 'copied' : kind
}

/** When anybody last wrote it. */
function writtenAt({ metadata }: StoredSecret): number | null {
  const written = Array.isArray(metadata.managedFields) ? metadata.managedFields : []
  const times = written.map(({ time }) => Date.parse(time ?? ''))
  const last = Math.max(...times.filter((each) => !Number.isNaN(each)))
  return Number.isFinite(last) ? last : null
}

/** The cluster's own words without the values, in whatever form they repeat them. */
function withoutValues(error: unknown, values: readonly string[]): HoldfastError {
  const parts = values.flatMap(formsOf).filter((part) => part.length >= secretCharsMin)
  let reason = isError(error, 'E_CLUSTER_REFUSED') ? String(error.params.reason) : reasonOf(error)
  for (const part of parts.sort((a, b) => b.length - a.length)) reason = reason.replaceAll(part, '[value]')
  // Without its cause, which has the words as they came.
  return new HoldfastError('E_CLUSTER_REFUSED', {
    ...(isError(error, 'E_CLUSTER_REFUSED') ? error.params : { call: 'write of a Secret', code: 0 }),
    reason,
  })
}

const secretCharsMin = 4

/** Encoded, plain, by line, and the strings of a document. */
function formsOf(value: string): readonly string[] {
  const decoded = Buffer.from(value, 'base64').toString('utf8')
  return [value, decoded, ...decoded.split('\n'), ...stringsIn(parseJson(decoded))]
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return isRecord(value) ? Object.values(value).flatMap(stringsIn) : []
}

/** The parts that are used are checked, here and by the parser of its fact. */
function storedSecret(body: unknown, path: string): StoredSecret {
  const { metadata } = isRecord(body) ? body : {}
  if (isRecord(body) && isRecord(metadata) && typeof metadata.uid === 'string') return body as never
  throw new HoldfastError('E_CLUSTER_ANSWER', { call: `GET ${path}`, problem: 'expected a Secret' })
}
