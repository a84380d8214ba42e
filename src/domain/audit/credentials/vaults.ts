import type { CredentialVaultFact, ScaleSetFact } from '../../snapshot/index.ts'
import type { Unjudged } from '../finding.ts'
import { keyOf } from '../joins.ts'
import { someOf } from '../judging.ts'
import { appSecretBadKey, budgetWillRunOut, credentialMissing, patBudgetExhausted } from './classes.ts'
import { appKeys, setsText, tokenKey } from './credential.ts'

/** A credential that ARC reads from a key vault: nothing in the cluster says whether it is there or good. */
export interface VaultCredential {
  readonly vault: CredentialVaultFact
  readonly sets: readonly ScaleSetFact[]
}

/** The entries of key vaults that scale sets name, each with all sets that share it. */
export function vaultCredentialsOf(sets: readonly ScaleSetFact[]): readonly VaultCredential[] {
  const named = sets.flatMap((set) =>
    set.credentialVault === null ? [] : { vault: set.credentialVault, set },
  )
  const groups = Map.groupBy(named, ({ vault }) => JSON.stringify([vault.type, vault.address, vault.entry]))
  return [...groups.values()].map((group) => ({
    vault: (group[0] as (typeof group)[number]).vault,
    sets: group.map(({ set }) => set),
  }))
}

/** `azure_key_vault entry github-app of https://…` */
export function vaultText({ type, address, entry }: CredentialVaultFact): string {
  return `${type} entry ${entry ?? 'without a name'}${address === null ? '' : ` of ${address}`}`
}

const unjudgedClasses = [credentialMissing, appSecretBadKey, patBudgetExhausted, budgetWillRunOut]

/** Neither missing nor good: what a person has to look at instead. */
export function unjudgedVault({ vault, sets }: VaultCredential): readonly Unjudged[] {
  const why = `the credential of ${setsText(sets)} is in a key vault (${vaultText(vault)}), and cannot be judged from here`
  const needs = `a look into the vault: JSON with ${appKeys.join(', ')}, or with ${tokenKey}; the controller's log has "failed to resolve" where ARC cannot read it for ${someOf(sets.map(keyOf))}`
  return unjudgedClasses.map(({ name }) => ({ class: name, why, needs, sets: sets.map(keyOf) }))
}
