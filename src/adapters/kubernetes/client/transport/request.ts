/** One call to the API server. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly contentType?: string
  /**
   * `metadata`: of the object that is answered only that is wanted; a server that cannot do it gives all of it. `keys`:
   * a set of keys, which the API server gives to nobody who asks for plain JSON.
   */
  readonly answer?: 'metadata' | 'keys'
  /** Whether the answer keeps who wrote which field, and when: often half of it, and dropped for all others. */
  readonly isWithManagers?: boolean
  /** How long one try may take, from the first byte to the last; for a stream, until it begins. */
  readonly timeoutMs?: number
  /**
   * Doing it twice does what doing it once does: it is tried again also where a first try may have taken effect.
   * Reads always are.
   */
  readonly isRepeatable?: boolean
  /** Asked in the same breath in which the first byte of each try goes out; where it throws, none does. */
  readonly beforeSend?: () => void
}

/** For messages; without the query, which says nothing to people. */
export function nameOf({ method, path }: ApiRequest): string {
  return `${method} ${path}`
}

/** The request's address below the server's. */
export function targetOf({ path, query = {} }: ApiRequest): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, String(value))
  return params.size === 0 ? path : `${path}?${params}`
}
