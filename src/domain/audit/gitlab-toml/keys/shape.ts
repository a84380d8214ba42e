/** The value that GitLab Runner takes under a key. `anything`: this audit does not look inside. */
export type Shape =
  | 'string'
  | 'integer'
  | 'boolean'
  | 'duration'
  | 'strings'
  | 'integers'
  | 'string-or-strings'
  | 'string-map'
  | 'boolean-map'
  | 'anything'
  | { readonly table: Keys }
  | { readonly tables: Keys }

/** The keys of a table, in lower case: GitLab Runner finds them in any letter case. */
export type Keys = Readonly<Record<string, Shape>>

/** Several keys of one shape, from words that spaces separate. */
export function keysOf(shape: Shape, names: string): Keys {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, shape]))
}
