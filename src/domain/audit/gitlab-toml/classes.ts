import type { FindingClass } from '../audit.ts'

const entry = 'E14'
const page = 'gitlab-toml.md'

export const tomlUnreadable: FindingClass = {
  name: 'toml-unreadable',
  entry,
  title: 'config.toml is no TOML',
  mustNotConclude: [
    'Jobs that still run prove nothing: a manager keeps its last good file until it is restarted.',
    'This is the first mistake: the file may have more.',
  ],
  page,
}

export const valueType: FindingClass = {
  name: 'value-type',
  entry,
  title: 'A value of config.toml has the wrong type',
  mustNotConclude: [
    'Jobs that still run prove nothing: a manager keeps its last good file until it is restarted.',
  ],
  page,
}

export const podspecType: FindingClass = {
  name: 'podspec-type',
  entry,
  title: 'pod_spec is not the list of patches that GitLab Runner takes',
  mustNotConclude: ['A pod that runs is no proof that a patch was applied to it.'],
  page,
}

export const nestedResourceKeys: FindingClass = {
  name: 'nested-resource-keys',
  entry,
  title: 'Requests and limits stand in a table of their own, which GitLab Runner does not read',
  mustNotConclude: [
    'A file that GitLab Runner loads is not proven right: only its lint names keys that it does not know.',
    'Limits that pods have may be those of a LimitRange.',
  ],
  page,
}

export const keyAfterTable: FindingClass = {
  name: 'key-after-table',
  entry,
  title: 'A key stands after the header of another table, and belongs to that one',
  mustNotConclude: [
    'Indentation says nothing in TOML: a key belongs to the last header before it.',
    "GitLab Runner's own lint calls it valid where the table takes any key.",
  ],
  page,
}

export const unknownKey: FindingClass = {
  name: 'unknown-key',
  entry,
  title: 'GitLab Runner does not know a key of config.toml',
  mustNotConclude: [
    'A manager that starts is no proof: it passes over unknown keys without a word.',
    'The key may belong to another release than the ones that this audit knows.',
  ],
  page,
}

export const valueRefused: FindingClass = {
  name: 'value-refused',
  entry,
  title: 'A value of config.toml is taken at the start, and refused or dropped later',
  mustNotConclude: ['A file that loads is not proven right: these values are looked at with the first job.'],
  page,
}

export const requestAboveLimit: FindingClass = {
  name: 'request-above-limit',
  entry,
  title: 'A request in config.toml is above its limit',
  mustNotConclude: [
    'This is no lack of capacity: the API server refuses such a pod on an empty cluster too.',
  ],
  page,
}

export const concurrencyMismatch: FindingClass = {
  name: 'concurrency-mismatch',
  entry,
  title: 'concurrent, limit and request_concurrency do not fit together',
  mustNotConclude: [
    'Jobs that wait at GitLab do not prove that the cluster is full.',
    'These numbers are of one manager: several replicas multiply them.',
  ],
  page,
}

export const startTimeout: FindingClass = {
  name: 'start-timeout',
  entry,
  title: 'Job pods get too little time to start',
  mustNotConclude: ['`timed out waiting for pod to start` does not say what the pod waited for.'],
  page,
}

export const overwriteUnbounded: FindingClass = {
  name: 'overwrite-unbounded',
  entry,
  title: 'Jobs may choose any namespace or service account',
  mustNotConclude: ['That no job did so yet is no bound: a variable in a pipeline suffices.'],
  page,
}

export const servicesCollide: FindingClass = {
  name: 'services-collide',
  entry,
  title: 'Two Docker daemons of one pod listen on the same port',
  mustNotConclude: ['The one that lost the port is no proof of a broken image.'],
  page,
}

export const nixStoreShadowed: FindingClass = {
  name: 'nix-store-shadowed',
  entry,
  title: 'An empty volume hides the Nix store of the image',
  mustNotConclude: ['`not found` of a program in /nix/store does not mean that the image lacks it.'],
  page,
}

export const limitRangeConflict: FindingClass = {
  name: 'limit-range-conflict',
  entry,
  title: 'config.toml asks for what the LimitRange of its namespace refuses',
  mustNotConclude: [
    'This is no lack of capacity: the API server refuses such a pod on an empty cluster too.',
  ],
  page,
}

export const jobLimitDrift: FindingClass = {
  name: 'job-limit-drift',
  entry,
  title: 'Job pods run with other requests or limits than config.toml says',
  mustNotConclude: [
    'A change of the pods by hand is no repair: the next job gets the same again.',
    'The file may be newer than the pods, or not the one that the manager has.',
  ],
  page,
}

export const tomlClasses = [
  tomlUnreadable,
  valueType,
  podspecType,
  nestedResourceKeys,
  keyAfterTable,
  unknownKey,
  valueRefused,
  requestAboveLimit,
  concurrencyMismatch,
  startTimeout,
  overwriteUnbounded,
  servicesCollide,
  nixStoreShadowed,
  limitRangeConflict,
  jobLimitDrift,
]
