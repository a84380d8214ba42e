import { keyOf, type ObjectRef } from '../../domain/snapshot/index.ts'
import { minuteMs, objectFact, readAt, secretFact } from '../../domain/snapshot/testing/facts.ts'
import type { Copied, KeyCopy, RemedySecrets } from '../../ports/remedy-secrets.ts'
import { digest } from './world.ts'

export interface StoredSecret {
  readonly data: Readonly<Record<string, string>>
  readonly uid: string
  readonly version: number
  readonly type: string
  readonly writtenAt: number
}

/** A write that took effect, and the states that it stood on. */
export interface CopyAct {
  readonly to: string
  readonly source: StoredSecret
  readonly before: StoredSecret | null
  readonly tick: number
  /** When it was asked for. */
  readonly at: number
}

/** For tests: the twin of a cluster's Secrets. It counts every call, and may be disturbed before each. */
export class SecretsTwin<Act = CopyAct> {
  now = readAt
  tick = 0
  readonly stored = new Map<string, StoredSecret>()
  /** Writes that took effect, in order. */
  readonly acts: Act[] = []
  disturb: () => void = () => {}
  loseNextAnswer: 'before' | 'after' | null = null
  failures = 0
  /** Changes and reads that no object shows. */
  readonly noted: { readonly what: string; readonly tick: number }[] = []
  #uids = 0

  put(key: string, data: StoredSecret['data'], given: Partial<StoredSecret> = {}): void {
    const before = this.stored.get(key)
    this.#uids += 1
    const state = { uid: before?.uid ?? `uid-${key}-${this.#uids}`, version: (before?.version ?? 1) + 1 }
    const writtenAt = before === undefined ? readAt - 120 * minuteMs : this.now
    this.stored.set(key, { data, type: 'Opaque', ...state, writtenAt, ...given })
  }

  note(what: string): void {
    this.noted.push({ what, tick: this.tick })
  }

  /** A call of any port: the world may change between any two. */
  step(): void {
    this.tick += 1
    this.disturb()
    if (this.failures === 0) return
    this.failures -= 1
    throw new Error('the API server does not answer')
  }

  readonly secrets: RemedySecrets = {
    readSecret: async (place: ObjectRef, salt) => {
      this.step()
      const found = this.stored.get(keyOf(place))
      if (found === undefined) return null
      const { data, uid, version, type, writtenAt } = found
      const hashes = Object.entries(data).map(([key, value]) => [key, digest(`${salt}\n${value}`)])
      const object = { ...objectFact(place.name, place.namespace), uid, resourceVersion: String(version) }
      return {
        secret: secretFact(place.name, Object.fromEntries(hashes), { ...object, type }),
        writtenAt,
      }
    },
    copyKeys: async (copy) => {
      const sentAt = this.now
      this.tick += 1
      this.disturb()
      const lost = this.loseNextAnswer
      this.loseNextAnswer = null
      if (lost === 'before') return 'unknown'
      const copied = this.#copy(copy, sentAt)
      return lost === 'after' ? 'unknown' : copied
    },
    listPods: async () => [],
    listEvents: async () => [],
    removePod: async () => 'gone',
  }

  #copy({ keys, from, to }: KeyCopy, at: number): Copied {
    const source = this.stored.get(keyOf(from))
    if (source === undefined) return 'gone'
    const before = this.stored.get(keyOf(to)) ?? null
    const isSource = source.uid === from.uid && String(source.version) === from.resourceVersion
    if (!isSource || !keys.some((key) => key in source.data)) return 'conflict'
    if (to.state === null && before !== null) return 'conflict'
    if (to.state !== null && before?.uid !== to.state.uid) return 'gone'
    if (to.state !== null && String(before?.version) !== to.state.resourceVersion) return 'conflict'
    const kept = Object.entries(before?.data ?? {}).filter(([key]) => !keys.includes(key))
    const copied = Object.entries(source.data).filter(([key]) => keys.includes(key))
    this.put(keyOf(to), Object.fromEntries([...kept, ...copied]), { type: before?.type ?? source.type })
    const act: CopyAct = { to: keyOf(to), source, before, tick: this.tick, at }
    this.acts.push(act as Act)
    return 'copied'
  }
}
