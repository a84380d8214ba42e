/** How a TLS connection to the API server is made; PEM. */
export interface TlsMaterial {
  readonly ca?: string | undefined
  readonly cert?: string | undefined
  readonly key?: string | undefined
  /** The name that the server's certificate must have, where it is not that of the address. */
  readonly serverName?: string | undefined
  readonly isUnverified?: boolean | undefined
}

/** What proves us for one request. */
export interface Proof {
  /** Value of the Authorization header; absent where the client certificate is the proof. */
  readonly authorization?: string | undefined
  readonly tls: TlsMaterial
}

export interface Credentials {
  /** The proof that holds now; throws `E_CLUSTER_CREDENTIALS` where none can be had. */
  prove(signal: AbortSignal): Promise<Proof>
  /** The server did not take it: the next one is made or read anew. */
  forget(): void
}

/** Where the API server is, who we are for it, and which namespace is ours. */
export interface Connection {
  readonly server: string
  readonly namespace: string
  readonly credentials: Credentials
  readonly proxyUrl?: string | undefined
}

/** A proof that does not change. */
export function fixedCredentials(proof: Proof): Credentials {
  return { prove: async () => proof, forget: () => {} }
}
