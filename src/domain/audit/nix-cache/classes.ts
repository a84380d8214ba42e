import type { FindingClass } from '../audit.ts'

const entry = 'E13'
const page = 'nix-cache.md'
const stillBuilds =
  'Jobs that pass prove nothing: without the cache everything is built or fetched again, only slower.'

function nixClass(name: string, title: string, ...mustNotConclude: readonly string[]): FindingClass {
  return { name, entry, title, mustNotConclude: [stillBuilds, ...mustNotConclude], page }
}

export const serverUnset = nixClass(
  'server-unset',
  'Runners do not know the server of the Nix cache',
  'The environment of the pod template was read: a job may set the server itself.',
)
export const secretMissing = nixClass('secret-missing', "The Nix cache's Secret is not there")
export const serviceUnreachable = nixClass(
  'service-unreachable',
  'Nothing answers behind the Service of the Nix cache',
  'An empty cache and an absent one look alike to a job.',
)
export const cacheNameMismatch = nixClass(
  'cache-name-mismatch',
  'Runners read another Nix cache than is filled',
  'A populated server says nothing about the cache of that name.',
)
export const staleEndpoint = nixClass('stale-endpoint', 'Runners ask an address where the Nix cache is not')
export const pushSkipped = nixClass(
  'push-skipped',
  'Jobs skip the push to the Nix cache without failing',
  'A step that is green has not pushed: it skips silently without a token.',
)

export const nixCacheClasses = [
  serverUnset,
  secretMissing,
  serviceUnreachable,
  cacheNameMismatch,
  staleEndpoint,
  pushSkipped,
]
