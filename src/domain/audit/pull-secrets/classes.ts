import type { FindingClass } from '../audit.ts'

const entry = 'E3'
const page = 'pull-secrets.md'
const mustNotConclude = [
  'This is about the registry: neither labels nor capacity are the cause.',
  'A pod that started elsewhere proves nothing: its node may have had the image already.',
]

export const controllerPullSecretMissing: FindingClass = {
  name: 'controller-pull-secret-missing',
  entry,
  title: 'The listener has no pull secret for its registry',
  mustNotConclude,
  page,
}

export const controllerPullSecretStale: FindingClass = {
  name: 'controller-pull-secret-stale',
  entry,
  title: "The listener's pull secret differs from the one of the runners",
  mustNotConclude: [
    ...mustNotConclude,
    'The copy of the runners is good only where runners pull with it now.',
  ],
  page,
}

export const controllerPullSecretPublicOnly: FindingClass = {
  name: 'controller-pull-secret-public-only',
  entry,
  title: "The listener's pull secret has no credentials for its registry",
  mustNotConclude,
  page,
}

export const runnerPullSecretMissing: FindingClass = {
  name: 'runner-pull-secret-missing',
  entry,
  title: 'Runners have no credentials for the registry of their image',
  mustNotConclude,
  page,
}

export const credentialInvalid: FindingClass = {
  name: 'credential-invalid',
  entry,
  title: 'The registry refuses a pull secret that is in place',
  mustNotConclude: [...mustNotConclude, 'Copying the Secret again changes nothing: its content is refused.'],
  page,
}

export const pullSecretClasses = [
  controllerPullSecretMissing,
  controllerPullSecretStale,
  controllerPullSecretPublicOnly,
  runnerPullSecretMissing,
  credentialInvalid,
]
