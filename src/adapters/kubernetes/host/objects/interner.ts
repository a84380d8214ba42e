/** Equal values are one value: thousands of pods differ in little but their names and times. */
export interface Interner {
  text(value: string): string
  /** A value of the same content is made once; nothing may change it. */
  value<T>(kind: string, words: unknown, make: () => T): T
}

/** More than all templates and nodes of a cluster have; then it begins again. */
const entriesMax = 5_000

export function createInterner(): Interner {
  const texts = new Map<string, string>()
  const things = new Map<string, unknown>()
  return {
    text(value) {
      const known = texts.get(value)
      if (known !== undefined) return known
      if (texts.size >= entriesMax) texts.clear()
      texts.set(value, value)
      return value
    },
    value<T>(kind: string, words: unknown, make: () => T): T {
      const key = `${kind} ${JSON.stringify(words)}`
      const known = things.get(key)
      if (known !== undefined) return known as T
      if (things.size >= entriesMax) things.clear()
      const thing = make()
      things.set(key, thing)
      return thing
    },
  }
}

/** For single objects. */
export const noInterner: Interner = {
  text: (value) => value,
  value: (_kind, _words, make) => make(),
}
