import type { CredentialReading } from '../domain/remedy/index.ts'
import type { ObjectRef } from '../domain/snapshot/index.ts'

/** The set whose credential is asked for, and where its runners are registered. */
interface CredentialOfSet {
  readonly namespace: string
  readonly secret: string | null
  /** A forge on another host is not asked: it would get a credential that is not for it. */
  readonly forgeHost: string | null
  /** The organisation or repository. */
  readonly forgeScope: string
}

/** ARC's own credential, and ARC's own words about it. No value leaves this port. */
export interface ArcCredential {
  /** Looks into the runners of the scope with the credential of the set, now. A forge that gives no answer has not accepted it. */
  ask(set: CredentialOfSet, signal: AbortSignal): Promise<CredentialReading>
  /** The newest lines of ARC's controllers, masked. Throws where they cannot be read. */
  readControllerLog(signal: AbortSignal): Promise<readonly string[]>
}

/** A credential as ARC keeps it: a secret. */
export type StoredCredential =
  | { readonly kind: 'token'; readonly token: string }
  | {
      readonly kind: 'app'
      readonly id: string
      readonly installationId: number
      readonly privateKey: string
    }

/** ARC's credentials in a cluster: for the one place that asks the forge with them. */
export interface StoredCredentials {
  /** Null: there is no such Secret, or it has none of ARC's keys. */
  readCredential(place: ObjectRef, signal: AbortSignal): Promise<StoredCredential | null>
}
