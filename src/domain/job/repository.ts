const partPattern = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/

/** Whether it is `owner/name` as forges name repositories. Others could lead a path of their API somewhere else. */
export function isRepositoryName(repository: string): boolean {
  const parts = repository.split('/')
  return parts.length === 2 && parts.every((part) => partPattern.test(part))
}
