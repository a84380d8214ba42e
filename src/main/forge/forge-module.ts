import type { WantedPort } from '../../adapters/machine/index.ts'
import type { Config } from '../../platform/config/index.ts'
import type { StoredCredential } from '../../ports/arc-credential.ts'
import type { ForgeFactsReader } from '../../ports/forge-facts.ts'
import type { RemedyForge } from '../../ports/remedy.ts'
import type { ProofSources } from '../../remedy/index.ts'
import type { Base } from '../base.ts'
import type { ForgeAdapter, ForgeDeps } from './forge-adapter.ts'

/** How a kind of forge is wired. The pure part of what is known of a kind is in `src/domain/forge/`. */
export interface ForgeModule {
  /** The server's URL that identifies the forge in the ledger; null: the kind alone does. */
  serverUrl(settings: Config['forge']): string | null
  /** Ports that Holdfast itself listens on for it. */
  ports(settings: Config['forge']): readonly WantedPort[]
  /** The runner program that comes with Holdfast, with the packages it imports. */
  readonly runner: { readonly main: string; readonly packages: readonly string[] }
  open(base: Base, deps: ForgeDeps): Promise<ForgeAdapter>
  /** Reads facts for a snapshot with the credential of the settings; null: it has none, or the kind cannot. */
  openFacts(base: Base): ForgeFactsReader | null
  /** Reads single jobs and runs them again, with the credential of the settings; null as above. */
  openProofForge(base: Base): (ProofSources & AsyncDisposable & { readonly host: string }) | null
  /** Answers about single runners for a remedy, with the credential of the settings or another one; null as above. */
  openRemedyForge(base: Base, other?: StoredCredential): (RemedyForge & AsyncDisposable) | null
}
