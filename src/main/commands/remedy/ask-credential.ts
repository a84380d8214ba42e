import { reasonOf } from '../../../domain/reason.ts'
import { masked } from '../../../domain/remedy/index.ts'
import type { ArcCredential, StoredCredential, StoredCredentials } from '../../../ports/arc-credential.ts'
import type { Base } from '../../base.ts'
import { loadForgeModule } from '../../forge/index.ts'

/** No runner of ARC has it: the list of runners is what is asked for, not its answer. */
const nobody = 'holdfast-asks'

/** Asks the forge with a credential of ARC: read from its Secret for one call, and kept nowhere. */
export async function createAsker(base: Base, credentials: StoredCredentials): Promise<ArcCredential['ask']> {
  const { openRemedyForge } = await loadForgeModule(base.config.forge.kind)
  return async ({ namespace, secret: name, forgeHost, forgeScope }, signal) => {
    const at = base.clock.now()
    const secret = name === null ? null : { namespace, name }
    const stored = secret && (await credentials.readCredential(secret, signal))
    if (stored === null)
      return { at, secret, isAccepted: false, answer: 'there is no Secret with a credential of ARC' }
    const forge = openRemedyForge(base, stored)
    if (forge === null) return { at, secret, isAccepted: false, answer: 'this kind of forge cannot be asked' }
    try {
      if (forge.host !== forgeHost)
        return {
          at,
          secret,
          isAccepted: false,
          answer: `${forgeHost} is not asked: the settings name ${forge.host}`,
        }
      await forge.readRunner(forgeScope, nobody, signal)
      return { at, secret, isAccepted: true, answer: `it lists the runners of ${forgeScope} to it` }
    } catch (error) {
      signal.throwIfAborted()
      return { at, secret, isAccepted: false, answer: masked(asKeys(withoutValues(reasonOf(error), stored))) }
    } finally {
      await forge[Symbol.asyncDispose]()
    }
  }
}

/** An error may repeat what it was given. */
function withoutValues(text: string, stored: StoredCredential): string {
  const values = stored.kind === 'token' ? [stored.token] : [stored.privateKey]
  return values
    .filter((value) => value !== '')
    .reduce((rest, value) => rest.replaceAll(value, '[value]'), text)
}

/** The client names settings of Holdfast; here each of them is a key of a Secret. */
function asKeys(text: string): string {
  return text
    .replaceAll('forge.app.privateKey', 'github_app_private_key')
    .replaceAll('forge.app.id', 'github_app_id')
    .replaceAll('forge.token', 'github_token')
}
