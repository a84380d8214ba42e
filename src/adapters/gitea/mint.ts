import type { Minted, MintRefused, MintRequest } from '../../ports/forge.ts'
import { expectBody, unexpected } from './answers.ts'
import type { Call } from './call.ts'
import { encodeCredentials } from './credentials.ts'
import { isStaleToken, refusalOf, registrationRefusalOf } from './refusal.ts'
import { registeredSchema, registrationSchema } from './schemas.ts'

/** Of two concurrent mints in a repository without a token each creates one, and the later invalidates the earlier. */
const tokensMax = 3

/**
 * Registers one ephemeral runner. The registration token, which could register any number of them, is requested and used
 * only here; the runner's program gets the credentials of this one runner.
 */
export async function mint(
  call: Call,
  address: string,
  prefix: string,
  { name, labels }: MintRequest,
  signal: AbortSignal,
): Promise<Minted | MintRefused> {
  for (let tokens = 1; ; tokens += 1) {
    const path = `${prefix}/actions/runners/registration-token`
    const given = await call.rest('POST', path, signal)
    const refused = refusalOf(given)
    if (refused !== null) return refused
    const { token } = expectBody(given, 200, registrationSchema, `POST ${path}`)
    const answer = await call.runnerService('Register', { name, token, labels, ephemeral: true }, signal)
    if (answer.status !== 200 && isStaleToken(answer) && tokens < tokensMax) continue
    const unregistered = registrationRefusalOf(answer)
    if (unregistered !== null) return unregistered
    if (answer.status !== 200) throw unexpected(answer, 'Register')
    const { runner } = expectBody(answer, 200, registeredSchema, 'Register')
    const jit = encodeCredentials({
      id: runner.id,
      uuid: runner.uuid,
      name,
      token: runner.token,
      address,
      labels,
      ephemeral: true,
    })
    return { kind: 'minted', forgeRunnerId: runner.id, jit }
  }
}
