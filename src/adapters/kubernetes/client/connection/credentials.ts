/** How a TLS connection to the API server is made; PEM. */
export interface TlsMaterial {
  readonly ca?: string | undefined
  readonly cert?: string | undefined
  readonly key?: string | undefined
  /** The name that the server's certificate must have, where it is not that of the address. */
  readonly serverName?: string | undefined
  readonly isUnverified?: boolean | undefined
}

/** How one request authenticates. */
export interface Authentication {
  /** Value of the Authorization header; absent where the client certificate authenticates. */
  readonly authorization?: string | undefined
  readonly tls: TlsMaterial
}

export interface Credentials {
  /** The authentication that holds now; throws `E_CLUSTER_CREDENTIALS` where none can be had. */
  authenticate(signal: AbortSignal): Promise<Authentication>
  /** The server refused it: the next one is made or read again. */
  invalidate(): void
}

/** Where the API server is, who we are for it, and which namespace is ours. */
export interface Connection {
  readonly server: string
  readonly namespace: string
  readonly credentials: Credentials
  readonly proxyUrl?: string | undefined
}

/** Authentication that does not change. */
export function fixedCredentials(authentication: Authentication): Credentials {
  return { authenticate: async () => authentication, invalidate: () => {} }
}
