import { minuteMs, readAt } from '../../domain/snapshot/testing/facts.ts'
import type { ArcCredential } from '../../ports/arc-credential.ts'
import type { AppSources } from '../app-credentials/app-credentials-treatment.ts'
import type { RemedyDeps } from '../deps.ts'
import { CredentialsWorld } from './credentials-world.ts'

export const [appHere, appThere] = ['arc-runners/arc-app', 'arc-systems/arc-app']
export const goodKey = 'planted-private-key-93b0'
export const staleKey = 'planted-private-key-of-before-51fa'

/** For tests: the three keys of an App, by ARC's names. */
export const appWith = (key: string) => ({
  github_app_id: '1',
  github_app_installation_id: '2',
  github_app_private_key: key,
})

/** For tests: a set with a token, next to it an App that the forge accepts, and in the listener's namespace another. */
export class AppWorld extends CredentialsWorld {
  isInstalled = true
  /** The organisations that were asked for, with which Secret. */
  readonly asked: string[] = []

  constructor() {
    super()
    this.put(appHere, appWith(goodKey))
    this.put(appThere, appWith(staleKey))
  }

  /** Somebody takes the App off the organisation. */
  uninstall(): void {
    this.isInstalled = false
    this.note('the App was uninstalled')
  }

  /** The set moves to another organisation. */
  move(): void {
    this.set = { ...this.set, configUrl: 'https://github.com/another' }
    this.note('the set moved')
  }

  /** The managed apply of the user: the set names the App, and its listener is made again. */
  useApp(): void {
    this.set = { ...this.set, credentialSecret: 'arc-app' }
    if (this.listener !== null) this.listener = { ...this.listener, credentialSecret: 'arc-app' }
    if (this.pod !== null) this.pod = { ...this.pod, createdAt: readAt - 30 * minuteMs }
  }

  readonly credential: Pick<ArcCredential, 'ask'> = {
    ask: async ({ namespace, secret, forgeHost, forgeScope }) => {
      this.step()
      this.note('the App was asked about')
      this.asked.push(`${forgeHost}/${forgeScope} with ${namespace}/${secret}`)
      const isAccepted = this.isInstalled && this.stored.has(`${namespace}/${secret}`)
      const answer = isAccepted ? `it lists the runners of ${forgeScope} to it` : '404 Not Found'
      return {
        at: this.now,
        secret: secret === null ? null : { namespace, name: secret },
        isAccepted,
        answer,
      }
    },
  }

  override deps(): RemedyDeps & AppSources {
    return { ...super.deps(), credential: this.credential }
  }
}
