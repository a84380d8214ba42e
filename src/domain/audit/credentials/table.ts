import type { AuditTable } from '../finding.ts'
import { clockText, someOf } from '../judging.ts'
import type { Budget } from './budget.ts'
import { credentialName } from './credential.ts'
import { type VaultCredential, vaultText } from './vaults.ts'

const kindTexts = { app: 'GitHub App', 'personal-token': 'personal token', unknown: 'unknown' }

/** Every credential with its budget, also where nothing is wrong. */
export function budgetTable(budgets: readonly Budget[], inVaults: readonly VaultCredential[]): AuditTable {
  return {
    title: 'Credentials',
    columns: [
      'credential',
      'kind',
      'scale sets',
      'calls left',
      'renewed',
      'calls an hour',
      'runs out',
      'note',
    ],
    rows: [...budgets.map(budgetRow), ...inVaults.map(vaultRow)],
  }
}

function budgetRow({ shared, kind, latest, isUnlimited, forecast: ahead }: Budget): string[] {
  return [
    shared.members.map(({ ref }) => credentialName(ref)).join(', '),
    kindTexts[kind],
    someOf(shared.sets.map(({ name }) => name)) || 'none: Holdfast itself',
    leftOf(latest, isUnlimited),
    latest === null ? '' : clockText(latest.resetAt),
    ahead === null ? '' : String(ahead.perHour),
    ahead === null ? '' : ahead.emptyAt === null ? 'not before' : clockText(ahead.emptyAt),
    kind === 'personal-token' ? "its user's budget, shared with all that the user does elsewhere" : '',
  ]
}

function leftOf(latest: Budget['latest'], isUnlimited: boolean): string {
  if (latest !== null) return `${latest.remaining} of ${latest.limit}`
  return isUnlimited ? 'no limit' : 'not read'
}

function vaultRow({ vault, sets }: VaultCredential): string[] {
  const names = someOf(sets.map(({ name }) => name))
  return [vaultText(vault), 'in a key vault', names, 'not read', '', '', '', 'cannot be judged from here']
}
