/** The scope of sets that serve every repository. */
export const everywhere = '*'

/** `acme` of `https://github.com/acme`, `acme/web` of a repository; everywhere for an enterprise or an unknown URL. */
export function scopeOf(configUrl: string | null): string {
  const [, path] = /^https?:\/\/[^/]+\/([^?#]{1,300}?)\/*$/.exec(configUrl ?? '') ?? []
  return path === undefined || path.startsWith('enterprises/') ? everywhere : path.toLowerCase()
}

/** Scopes by which a repository is served: everything's, its owner's, and its own. */
export function scopesOf(repository: string): readonly string[] {
  const full = repository.toLowerCase()
  const [owner = ''] = full.split('/', 1)
  return [everywhere, owner, full]
}
