/** Equal values are one value: thousands of pods differ in little but their names and times. */
export interface Sharing {
  text(value: string): string
  /** What is made of the same words is made once; it must not be changed by anybody. */
  made<T>(kind: string, words: unknown, make: () => T): T
}

/** More than all templates and nodes of a cluster have; then it begins anew. */
const SHARED_MAX = 5_000

export function createSharing(): Sharing {
  const texts = new Map<string, string>()
  const things = new Map<string, unknown>()
  return {
    text(value) {
      const known = texts.get(value)
      if (known !== undefined) return known
      if (texts.size >= SHARED_MAX) texts.clear()
      texts.set(value, value)
      return value
    },
    made<T>(kind: string, words: unknown, make: () => T): T {
      const key = `${kind} ${JSON.stringify(words)}`
      const known = things.get(key)
      if (known !== undefined) return known as T
      if (things.size >= SHARED_MAX) things.clear()
      const thing = make()
      things.set(key, thing)
      return thing
    },
  }
}

/** For single objects. */
export const sharingNothing: Sharing = {
  text: (value) => value,
  made: (_kind, _words, make) => make(),
}
