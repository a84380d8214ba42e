import { wholeInstance } from '../../forge-facts/index.ts'
import { everywhere } from '../list-jobs.ts'
import { repositoryPath } from '../registration-path.ts'

/** The path prefix of an organisation (`acme`), a repository (`acme/web`) or the whole instance. */
export function prefixOf(place: string): string {
  if (place === wholeInstance) return everywhere
  return place.includes('/') ? repositoryPath(place) : `/orgs/${encodeURIComponent(place)}`
}
