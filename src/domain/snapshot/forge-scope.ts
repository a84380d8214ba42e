import type { ScaleSetFact } from './arc.ts'

/**
 * The organisation or repository whose list of runners has those of a set: `https://github.com/acme/web` is `acme/web`.
 * Null for an enterprise, whose runners are in no list that repositories have.
 */
export function forgeScopeOf({ configUrl }: Pick<ScaleSetFact, 'configUrl'>): string | null {
  if (configUrl === null || !URL.canParse(configUrl)) return null
  const parts = new URL(configUrl).pathname.split('/').filter((part) => part !== '')
  if (parts.length === 0 || parts.length > 2 || parts[0] === 'enterprises') return null
  return parts.join('/')
}

/** The host of the web site that a set names, as `github.com`; null: its URL cannot be read. */
export function forgeHostOf({ configUrl }: Pick<ScaleSetFact, 'configUrl'>): string | null {
  if (configUrl === null || !URL.canParse(configUrl)) return null
  return new URL(configUrl).host.replace(/^www\./, '')
}
