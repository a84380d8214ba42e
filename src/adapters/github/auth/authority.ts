import type { HoldfastError } from '../../../domain/errors/index.ts'
import type { Purpose } from '../../../ports/budget.ts'
import type { Clock } from '../../../ports/clock.ts'
import { createLoadingCache } from '../loading-cache.ts'
import { ForgeRefusal, refusalText, refused } from '../refusal.ts'
import { tokenSchema } from '../schemas.ts'
import type { Call } from '../transport/call.ts'
import { expectBody } from '../transport/expect.ts'
import { appAccount } from '../transport/meter.ts'
import type { Send } from '../transport/send.ts'
import { appJwt } from './app-jwt.ts'
import type { CallCredentials, Credentials, Identity } from './credentials.ts'
import { aheadMsOf, createForgeTime } from './forge-time.ts'
import { enterpriseKey, type Installation, ownerKey, readInstallations } from './installations.ts'

/** Tokens are renewed early, so that none expires while a call is in flight. */
const renewBeforeMs = 5 * 60_000
const installationsLifeMs = 5 * 60_000
/** An owner missing from the cached list is looked up again in a list of at most this age. */
const installationsNewlyMs = 30_000
const tokensMax = 10_000

export interface Authority {
  /** The credentials for one call. Throws a `ForgeRefusal` where the forge gives us none. */
  credentialsFor(identity: Identity, purpose: Purpose, signal: AbortSignal): Promise<CallCredentials>
  /** The installations of the App, at most some minutes old; null: we are no App. */
  installations(purpose: Purpose, signal: AbortSignal): Promise<readonly Installation[]> | null
}

export interface AuthorityOptions {
  readonly credentials: Credentials
  readonly send: Send
  readonly clock: Clock
  readonly closing: AbortSignal
}

/** Supplies each call with credentials: a configured token, or the token that an App creates for each installation. */
export function createAuthority(options: AuthorityOptions): Authority {
  const { credentials } = options
  return credentials.kind === 'token'
    ? {
        async credentialsFor() {
          const bearer = readWord('forge.token', credentials.token)
          return { bearer, account: 'token', forget: null }
        },
        installations: () => null,
      }
    : appAuthority(credentials, options)
}

type App = Extract<Credentials, { kind: 'app' }>

function appAuthority(app: App, { send, clock, closing }: AuthorityOptions): Authority {
  const tokens = createLoadingCache<{ readonly token: string; readonly expiresAt: number }>({
    clock,
    closing,
    entriesMax: tokensMax,
    isFresh: ({ expiresAt }) => expiresAt - clock.now() > renewBeforeMs,
  })
  const known = createLoadingCache<readonly Installation[]>({
    clock,
    closing,
    entriesMax: 1,
    isFresh: (_, ageMs) => ageMs < installationsLifeMs,
  })
  const skew = createForgeTime(clock)
  const appId = () => readWord('forge.app.id', app.id)
  const jwt = (): string => {
    const id = appId()
    const privateKey = readSecret('forge.app.privateKey', app.privateKey)
    try {
      return appJwt(id, privateKey, skew.now())
    } catch {
      throw unusable('forge.app.privateKey is not an RSA key in PEM')
    }
  }
  const asApp =
    (purpose: Purpose): Call =>
    async (method, path, signal, extras) => {
      const ask = () => send({ method, path, bearer: jwt(), account: appAccount, purpose, ...extras }, signal)
      const answer = await ask()
      return answer.status === 401 && skew.isNews(answer) ? ask() : answer
    }
  const list = (purpose: Purpose, signal: AbortSignal, ageMsMax?: number) => {
    const load = (loadSignal: AbortSignal) =>
      readInstallations(asApp(purpose), app.installationId, loadSignal)
    return known.get(appId(), load, signal, ageMsMax)
  }
  const installationAt = async (owner: string, purpose: Purpose, signal: AbortSignal): Promise<number> => {
    if (app.installationId !== undefined) return app.installationId
    const find = (all: readonly Installation[]) => all.find((each) => each.owner === owner)
    const found = find(await list(purpose, signal)) ?? find(await list(purpose, signal, installationsNewlyMs))
    if (found !== undefined) return found.id
    const reason = `The App is not installed at ${owner}.`
    throw new ForgeRefusal('GET /app/installations', refused('repository', 'repository-not-covered', reason))
  }
  const idOf = (identity: Exclude<Identity, { kind: 'app' }>, purpose: Purpose, signal: AbortSignal) => {
    if (identity.kind === 'installation') return identity.id
    const isOwner = identity.kind === 'owner'
    return installationAt(isOwner ? ownerKey(identity.owner) : enterpriseKey(identity.slug), purpose, signal)
  }
  return {
    async credentialsFor(identity, purpose, signal) {
      if (identity.kind === 'app') return { bearer: jwt(), account: appAccount, forget: skew.isNews }
      const id = await idOf(identity, purpose, signal)
      const key = `${appId()} ${id}`
      const load = (loadSignal: AbortSignal) =>
        makeToken(asApp(purpose), id, () => known.forget(appId()), loadSignal)
      const made = await tokens.get(key, load, signal)
      return {
        bearer: made.token,
        account: `installation ${id}`,
        forget: () => {
          tokens.forget(key, made)
          return true
        },
      }
    },
    installations: (purpose, signal) => list(purpose, signal),
  }
}

async function makeToken(call: Call, id: number, onGone: () => void, signal: AbortSignal) {
  const path = `/app/installations/${id}/access_tokens`
  const answer = await call('POST', path, signal)
  if (answer.status === 404) {
    // Its owner uninstalled the App, and may have installed it again since.
    onGone()
    const reason = `The App has no such installation any more (${refusalText(answer)}).`
    throw new ForgeRefusal(`POST ${path}`, refused('account', 'installation-suspended', reason))
  }
  const { token, expires_at } = expectBody(answer, 201, tokenSchema, `POST ${path}`)
  // In the time of our own clock: one that is ahead would otherwise need a new token for each call.
  return { token, expiresAt: Date.parse(expires_at) - aheadMsOf(answer) }
}

/** Reads a secret of the settings now; an unreadable file is an incident for the operator, not a reason to stop. */
function readSecret(name: string, read: () => string): string {
  let secret: string
  try {
    secret = read().trim()
  } catch (error) {
    throw unusable(`${name} cannot be read: ${error instanceof Error ? error.message : 'unknown'}`)
  }
  if (secret === '') throw unusable(`${name} is empty`)
  return secret
}

/** Reads a secret for a header: an invalid header value would appear in fetch's error, with the secret. */
function readWord(name: string, read: () => string): string {
  const word = readSecret(name, read)
  if (!/^[\x21-\x7e]+$/.test(word)) throw unusable(`${name} holds characters that no such secret has`)
  return word
}

function unusable(reason: string): HoldfastError {
  return new ForgeRefusal('any call', refused('account', 'credentials-refused', reason))
}
