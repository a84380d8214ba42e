import type { Audit } from '../audit.ts'
import { keyOf } from '../joins.ts'
import { unjudgedBy } from '../judging.ts'
import { budgetsOf, judgeBudget } from './budget.ts'
import {
  authSecretNamespaceDrift,
  budgetWillRunOut,
  credentialClasses,
  patBudgetExhausted,
} from './classes.ts'
import { credentialsOf, sharedCredentials } from './credential.ts'
import { judgeExhausted, unjudgedExhausted } from './exhausted.ts'
import { refusalsOf } from './refusals.ts'
import { judgeSecret } from './secrets.ts'
import { budgetTable } from './table.ts'
import { unjudgedVault, vaultCredentialsOf } from './vaults.ts'

/** The credentials with which scale sets authenticate at the forge, and the calls that these have left. */
export const credentials: Audit = {
  name: 'credentials',
  title: 'Credentials of scale sets and their budgets of calls',
  classes: credentialClasses,
  judge(input) {
    const { scaleSets, secrets, listeners } = input.snapshot.cluster
    const secretByKey = new Map(secrets.items.map((secret) => [keyOf(secret), secret]))
    const all = credentialsOf(scaleSets.items, secretByKey)
    const inVaults = vaultCredentialsOf(scaleSets.items)
    const budgets = budgetsOf(sharedCredentials(all), input)
    const refusals = refusalsOf(input.snapshot)
    const ofSecrets = all.map((credential) => judgeSecret(credential, input, secretByKey))
    return {
      findings: [
        ...budgets.flatMap((budget) => judgeExhausted(budget, input, refusals)),
        ...budgets.flatMap((budget) => judgeBudget(budget, input)),
        ...ofSecrets.flatMap(({ findings }) => findings),
      ],
      unjudged: [
        ...unjudgedBy(credentialClasses, scaleSets),
        ...unjudgedBy([patBudgetExhausted, authSecretNamespaceDrift], listeners),
        ...unjudgedBy([patBudgetExhausted, budgetWillRunOut], input.snapshot.forge.budgets),
        ...unjudgedBy([patBudgetExhausted, budgetWillRunOut, authSecretNamespaceDrift], secrets),
        ...unjudgedExhausted(budgets, input, refusals),
        ...ofSecrets.flatMap(({ unjudged }) => unjudged),
        ...inVaults.flatMap(unjudgedVault),
      ],
      tables: budgets.length + inVaults.length === 0 ? [] : [budgetTable(budgets, inVaults)],
    }
  },
}
