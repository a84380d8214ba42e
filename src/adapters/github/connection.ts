import type { Dispatcher } from 'undici'
import type { CredentialKind } from '../../domain/snapshot/index.ts'
import type { Clock } from '../../ports/clock.ts'
import { type Authority, createAuthority } from './auth/authority.ts'
import { type Credentials, credentialKindOf } from './auth/credentials.ts'
import { type CallAs, createCallAs } from './transport/call-as.ts'
import { createEtags } from './transport/etags.ts'
import type { Wire } from './transport/exchange.ts'
import { type BudgetChoice, createMeter } from './transport/meter.ts'
import { patient } from './transport/patient.ts'
import { createSend } from './transport/send.ts'

const defaultTimeoutMs = 15_000

export interface ConnectionOptions {
  /** Where GitHub's REST API is; `apiUrl` makes it from the address that people open. */
  readonly apiUrl: string
  readonly credentials: Credentials
  readonly timeoutMs?: number
  /** Without one, every call goes. */
  readonly budget?: BudgetChoice | undefined
  readonly clock: Clock
  /** For a proxy or an own certificate authority. */
  readonly dispatcher?: Dispatcher | undefined
}

/** State shared by all calls to GitHub: credentials, budget, cached responses. */
export interface Connection {
  readonly callAs: CallAs
  readonly authority: Authority
  readonly isApp: boolean
  readonly credentialKind: () => CredentialKind
  readonly wire: Wire
  readonly clock: Clock
  readonly closing: AbortSignal
  close(): void
}

export function openConnection(options: ConnectionOptions): Connection {
  const { apiUrl, credentials, timeoutMs = defaultTimeoutMs, budget, clock, dispatcher } = options
  const ending = new AbortController()
  const closing = ending.signal
  const wire: Wire = { clock, timeoutMs, dispatcher }
  const send = patient(
    createSend({ ...wire, apiUrl, etags: createEtags(), meter: createMeter(budget) }),
    clock,
  )
  const authority = createAuthority({ credentials, send, clock, closing })
  return {
    authority,
    wire,
    clock,
    closing,
    callAs: createCallAs(send, authority),
    isApp: credentials.kind === 'app',
    credentialKind: () => credentialKindOf(credentials),
    close: () => ending.abort(new Error('shutting down')),
  }
}
