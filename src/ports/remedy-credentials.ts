import type { ObjectRef } from '../domain/snapshot/index.ts'

/** The use of a credential in a cluster. Every read asks the API server now. */
export interface RemedyCredentials {
  /** Sets of the Secret's own namespace that name it as their credential. Throws where they cannot be read. */
  setsNaming(secret: ObjectRef, signal: AbortSignal): Promise<readonly ObjectRef[]>
  /** The newest lines of a running container, masked. Throws where they cannot be read. */
  readLog(
    container: ObjectRef & { readonly container: string },
    signal: AbortSignal,
  ): Promise<readonly string[]>
}
