import type { FindingClass } from '../audit.ts'

const entry = 'E2'
const page = 'credentials.md'
const notCapacity = 'This is about authentication: it says nothing about cluster capacity.'

export const patBudgetExhausted: FindingClass = {
  name: 'pat-budget-exhausted',
  entry,
  title: "A personal token's calls are used up, and listeners are refused",
  mustNotConclude: [
    notCapacity,
    'Waiting for the reset, or less traffic, is only a bridge: the same user runs out again.',
    'Runners that look idle in Kubernetes may be busy at GitHub: without a listener nobody writes their jobs.',
  ],
  page,
}

export const authSecretNamespaceDrift: FindingClass = {
  name: 'auth-secret-namespace-drift',
  entry,
  title: "Two namespaces hold different credentials under one Secret's name",
  mustNotConclude: [notCapacity, 'Neither copy is proven good by being newer.'],
  page,
}

export const appSecretBadKey: FindingClass = {
  name: 'app-secret-bad-key',
  entry,
  title: "A GitHub App's Secret lacks a key that ARC reads",
  mustNotConclude: [
    notCapacity,
    'The App itself may be in order: only the names of the keys were looked at.',
  ],
  page,
}

export const credentialMissing: FindingClass = {
  name: 'credential-missing',
  entry,
  title: 'A scale set names a credential that is not there',
  mustNotConclude: [
    notCapacity,
    'A listener that still runs proves nothing: it read the credential when it started.',
  ],
  page,
}

export const budgetWillRunOut: FindingClass = {
  name: 'budget-will-run-out',
  entry,
  title: "A credential's calls end before they are renewed",
  mustNotConclude: [
    notCapacity,
    'The rate is that of the past: a burst can end sooner, and so can the calls.',
    'Other users of the same credential, outside this cluster, spend from the same budget.',
  ],
  page,
}

export const credentialClasses = [
  patBudgetExhausted,
  authSecretNamespaceDrift,
  appSecretBadKey,
  credentialMissing,
  budgetWillRunOut,
]
