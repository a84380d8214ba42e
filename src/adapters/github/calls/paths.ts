/** `/repos/owner/name`, whatever stands in the names. */
export function repositoryPath(repository: string): string {
  return `/repos/${repository.split('/').map(encodeURIComponent).join('/')}`
}

/** The account that a repository belongs to. */
export function ownerOf(repository: string): string {
  return repository.split('/')[0] as string
}
